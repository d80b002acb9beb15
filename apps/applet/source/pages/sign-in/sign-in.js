const { ask, call, token } = require('../../lib/api.js')
const { readMe } = require('../../lib/me.js')
const { enterPortal, portalPath } = require('../../lib/portal.js')
const { keepSession } = require('../../lib/session.js')
const { showTabs, texts } = require('../../lib/texts.js')

const CAPTCHA = /^auth\.captcha/
const SECOND_STEP = /^auth\.(second|step|factor|totp)/

Page({
  data: { t: {}, portal: null, username: '', password: '', fault: '', busy: false, hint: '' },

  onLoad() {
    this.setData({ t: texts() })
    /** Proof that this WeChat user was here, for binding him after his sign-in. */
    this.ticket = null
    return enterPortal().then(
      portal => {
        this.setData({ portal, t: texts() })
        wx.setNavigationBarTitle({ title: portal.name })
        showTabs()
      },
      error => this.setData({ fault: error.code === 'portal.not_found' ? texts().noPortal : error.message }),
    )
  },

  onType(event) {
    this.setData({ [event.currentTarget.dataset.field]: event.detail.value })
  },

  signIn() {
    const { username, password, portal, busy } = this.data
    if (busy || !portal || username.trim() === '' || password === '') return undefined
    return this.attempt(() =>
      token({ grant_type: 'password', username: username.trim(), password, thingwrightAppId: portal.appId }).then(() =>
        this.ticket ? call('POST', '/me/wechat-applet', { ticket: this.ticket }).catch(() => undefined) : undefined,
      ),
    )
  },

  /** WeChat says who he is; whoever is bound to nobody yet signs in with his password once. */
  signInWechat() {
    if (this.data.busy) return undefined
    return this.attempt(() =>
      new Promise((resolve, reject) => wx.login({ success: resolve, fail: reject }))
        .then(({ code }) => ask('POST', `${portalPath()}/wechat-applet`, { code }))
        .then(({ session, ticket }) => {
          if (session) return keepSession(session)
          this.ticket = ticket
          this.setData({ hint: texts().bindHint })
          return 'stay'
        }),
    )
  },

  attempt(work) {
    this.setData({ busy: true, fault: '' })
    return work()
      .then(outcome => (outcome === 'stay' ? undefined : this.enter()))
      .catch(error => {
        const { code = '', message = '', errMsg = '' } = error
        const t = texts()
        const fault = CAPTCHA.test(code) ? t.captchaNeeded : SECOND_STEP.test(code) ? t.secondStep : message || errMsg
        this.setData({ fault })
      })
      .then(() => this.setData({ busy: false }))
  },

  enter() {
    return readMe().then(() => {
      this.setData({ password: '' })
      wx.switchTab({ url: '/pages/devices/devices' })
    })
  },
})
