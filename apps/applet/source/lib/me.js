const { call } = require('./api.js')

/** Whether the person who is signed in may do something, such as `device:command`. */
function may(permission) {
  const me = wx.getStorageSync('me')
  return Boolean(me) && me.permissions.indexOf(permission) >= 0
}

/** Asks who is signed in. */
function readMe() {
  return call('GET', '/me').then(me => {
    wx.setStorageSync('me', me)
    return me
  })
}

module.exports = { may, readMe }
