const { ask } = require('./api.js')
const { settings } = require('./settings.js')

const portalPath = () => `/api/v1/public/portals/${encodeURIComponent(settings().portal)}`

/** The portal's name, colour and company, put on where WeChat lets a program do so. */
function enterPortal() {
  return ask('GET', portalPath()).then(portal => {
    wx.setStorageSync('portal', portal)
    if (portal.colour)
      wx.setNavigationBarColor({ frontColor: '#ffffff', backgroundColor: portal.colour, fail: () => undefined })
    return portal
  })
}

module.exports = { enterPortal, portalPath }
