const { whileShown } = require('../../lib/again.js')
const { call } = require('../../lib/api.js')
const { askForMessages, messagesText, readMessages } = require('../../lib/messages.js')
const { may } = require('../../lib/me.js')
const { time } = require('../../lib/show.js')
const { fill, texts } = require('../../lib/texts.js')

const PAUSE_MS = 10_000

Page({
  data: {
    t: {},
    items: [],
    loaded: false,
    all: false,
    mayAck: false,
    fault: '',
    busy: false,
    opened: '',
    templates: [],
    messages: '',
  },

  onShow() {
    this.setData({ t: texts(), mayAck: may('alarm:acknowledge') })
    this.readMessages()
    this.stop = whileShown(() => this.read(), PAUSE_MS)
  },

  onHide() {
    if (this.stop) this.stop()
  },

  onUnload() {
    this.onHide()
  },

  onPullDownRefresh() {
    return this.read().then(() => wx.stopPullDownRefresh())
  },

  readMessages() {
    if (!may('contact:write')) return undefined
    return readMessages().then(
      ({ templates }) => this.setData({ templates, messages: messagesText(templates) }),
      // Alarms are shown all the same.
      () => undefined,
    )
  },

  /** Opens an alarm, or closes it; who opens one is asked for the next message. */
  onOpen(event) {
    const { id } = event.currentTarget.dataset
    const isOpening = this.data.opened !== id
    this.setData({ opened: isOpening ? id : '' })
    return isOpening ? this.allow() : undefined
  },

  onMessages() {
    return this.allow()
  },

  allow() {
    return askForMessages(this.data.templates).then(
      now => {
        if (!now) return
        this.setData({ templates: now.templates, messages: messagesText(now.templates) })
        wx.showToast({ title: texts().messagesAllowed, icon: 'success' })
      },
      error => wx.showToast({ title: error.message, icon: 'none' }),
    )
  },

  onKind() {
    this.setData({ all: !this.data.all })
    return this.read()
  },

  read() {
    const { all } = this.data
    return call('GET', `/alarms?limit=50${all ? '' : '&active=1'}`).then(
      reply => {
        if (all !== this.data.all) return
        const t = texts()
        const items = reply.items.map(alarm => ({
          id: alarm.id,
          name: alarm.triggerName,
          device: alarm.deviceName || '',
          at: time(alarm.raisedAt),
          kind: alarm.active ? 'error' : 'success',
          state: alarm.active ? t.active : t.cleared,
          acknowledged: alarm.acknowledged,
          level: fill(t.level, { level: alarm.level }),
          values: (alarm.raiseValues || []).map(each => `${each.property} = ${JSON.stringify(each.value)}`).join(', '),
        }))
        this.setData({ items, loaded: true, fault: '' })
      },
      error => this.setData({ fault: error.message, loaded: true }),
    )
  },

  onAck(event) {
    this.setData({ busy: true })
    return call('POST', `/alarms/${event.currentTarget.dataset.id}/ack`, {})
      .then(() => {
        wx.showToast({ title: texts().acknowledged, icon: 'success' })
        return this.read()
      })
      .catch(error => this.setData({ fault: error.message }))
      .then(() => this.setData({ busy: false }))
  },
})
