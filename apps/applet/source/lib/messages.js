const { call } = require('./api.js')
const { texts } = require('./texts.js')

/** Whether the person is bound to WeChat, and templates of messages that he can allow: `{ bound, templates }`. */
function readMessages() {
  return call('GET', '/me/wechat-applet')
}

/**
 * Asks the person for one more message of each template. WeChat lets a program ask only while it handles a tap, so the
 * templates were read before.
 * @returns what is allowed now; null: he allowed nothing
 */
function askForMessages(templates) {
  const ids = templates.map(each => each.id)
  if (ids.length === 0 || !wx.requestSubscribeMessage) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    wx.requestSubscribeMessage({ tmplIds: ids, success: resolve, fail: error => reject(new Error(error.errMsg)) })
  }).then(answers => {
    const accepted = ids.filter(id => answers[id] === 'accept')
    return accepted.length > 0 ? call('POST', '/me/wechat-applet/messages', { accepted }) : null
  })
}

/** How many messages may still come, in words; empty: there are none to allow. */
function messagesText(templates) {
  if (templates.length === 0) return ''
  const count = templates.reduce((sum, each) => sum + each.remaining, 0)
  return count > 0 ? texts().messagesLeft.replace('{count}', count) : texts().messagesNone
}

module.exports = { askForMessages, messagesText, readMessages }
