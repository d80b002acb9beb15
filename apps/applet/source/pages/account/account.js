const { ask, call } = require('../../lib/api.js')
const { readMe } = require('../../lib/me.js')
const { portalPath } = require('../../lib/portal.js')
const { forgetSession, session } = require('../../lib/session.js')
const { locale, setLocale, texts } = require('../../lib/texts.js')

Page({
  data: { t: {}, me: null, bound: null, fault: '', busy: false },

  onShow() {
    this.setData({ t: texts() })
    return this.read()
  },

  read() {
    return Promise.all([readMe(), call('GET', '/me/wechat-applet')]).then(
      ([me, { bound }]) => this.setData({ me, bound, fault: '' }),
      error => this.setData({ fault: error.message }),
    )
  },

  /** WeChat says who he is, and he is signed in: both belong together from now on. */
  onBind() {
    return this.change(
      () =>
        new Promise((resolve, reject) => wx.login({ success: resolve, fail: reject }))
          .then(({ code }) => ask('POST', `${portalPath()}/wechat-applet`, { code, prove: true }))
          .then(({ ticket }) => call('POST', '/me/wechat-applet', { ticket })),
      'bound',
    )
  },

  onUnbind() {
    return this.change(() => call('DELETE', '/me/wechat-applet'), 'unbound')
  },

  change(work, said) {
    this.setData({ busy: true, fault: '' })
    return work()
      .then(
        () => {
          wx.showToast({ title: texts()[said], icon: 'success' })
          return this.read()
        },
        error => this.setData({ fault: error.message || error.errMsg }),
      )
      .then(() => this.setData({ busy: false }))
  },

  onLanguage() {
    setLocale(locale() === 'en' ? 'zh' : 'en')
    this.setData({ t: texts() })
  },

  onSignOut() {
    const refresh = session()?.refresh
    const leave = () => {
      forgetSession()
      wx.reLaunch({ url: '/pages/sign-in/sign-in' })
    }
    return ask('POST', '/oauth/revoke', { refresh_token: refresh }).then(leave, leave)
  },
})
