const config = require('../config.js')

/** Where the server is and which portal is shown: of the company's ext.json, else of the package. */
function settings() {
  const ext = wx.getExtConfigSync?.() || {}
  return {
    server: String(ext.server || config.server).replace(/\/+$/, ''),
    portal: String(ext.portal || config.portal),
  }
}

module.exports = { settings }
