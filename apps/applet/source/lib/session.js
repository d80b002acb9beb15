/** Who is signed in: tokens and name; kept until the end of the session. */
function session() {
  return wx.getStorageSync('session') || null
}

function keepSession(reply) {
  wx.setStorageSync('session', {
    token: reply.access_token,
    refresh: reply.refresh_token,
    username: reply.username,
  })
}

function forgetSession() {
  wx.removeStorageSync('session')
  wx.removeStorageSync('me')
}

module.exports = { forgetSession, keepSession, session }
