const locales = require('../locales.js')

const TABS = ['devices', 'alarms', 'account']

/** The person's choice, else the portal's, else what WeChat is set to. */
function locale() {
  const own = wx.getStorageSync('locale')
  if (own === 'zh' || own === 'en') return own
  const portal = wx.getStorageSync('portal')
  if (portal && (portal.language === 'zh' || portal.language === 'en')) return portal.language
  const info = (wx.getAppBaseInfo || wx.getSystemInfoSync)()
  return /^en/.test(String(info.language)) ? 'en' : 'zh'
}

/** All words in the language that is shown. */
function texts() {
  return locales[locale()]
}

/** @param {Record<string, unknown>} values */
function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]))
}

function showTabs() {
  const words = texts()
  TABS.forEach((name, index) => {
    wx.setTabBarItem({ index, text: words[name] })
  })
}

function setLocale(value) {
  wx.setStorageSync('locale', value)
  showTabs()
}

module.exports = { fill, locale, setLocale, showTabs, texts }
