const { forgetSession, keepSession, session } = require('./session.js')
const { settings } = require('./settings.js')
const { locale, texts } = require('./texts.js')

/** The public client of mini-programs, without a secret (application/x-www-form-urlencoded, Basic). */
const CLIENT = 'Basic YXBwbGV0OmFwcGxldA=='
const PATIENCE_MS = 20_000

/** What the server refused: its code, and its message in the language that is shown. */
function failure(code, message) {
  return Object.assign(new Error(message), { code })
}

function send(method, path, data, headers) {
  return new Promise((resolve, reject) => {
    wx.request({
      url: settings().server + path,
      method,
      data,
      timeout: PATIENCE_MS,
      header: Object.assign({ 'accept-language': locale() }, headers),
      success: resolve,
      fail: () => reject(failure('network', texts().noNetwork)),
    })
  })
}

function read(reply) {
  if (reply.statusCode >= 200 && reply.statusCode < 300) return reply.data
  const { code = `http.${reply.statusCode}`, message = `HTTP ${reply.statusCode}` } = reply.data || {}
  throw failure(code, message)
}

/** Asks without a session. */
function ask(method, path, data) {
  return send(method, path, data, { 'content-type': 'application/json' }).then(read)
}

/** A session: by password, or by a refresh token. */
function token(fields) {
  const body = Object.keys(fields)
    .map(name => `${name}=${encodeURIComponent(fields[name])}`)
    .join('&')
  return send('POST', '/oauth/token', body, {
    authorization: CLIENT,
    'content-type': 'application/x-www-form-urlencoded',
  })
    .then(read)
    .then(reply => {
      keepSession(reply)
      return reply
    })
}

/** Only one at a time: a refresh token is good for once. */
let renewing = null

function renew() {
  if (!renewing) {
    const refresh = session()?.refresh
    renewing = token({ grant_type: 'refresh_token', refresh_token: refresh ?? '' })
    const done = () => {
      renewing = null
    }
    renewing.then(done, done)
  }
  return renewing
}

/** Asks as the person who is signed in; whose session has ended is led to the sign-in. */
function call(method, path, data) {
  const attempt = () =>
    send(method, `/api/v1${path}`, data, {
      'content-type': 'application/json',
      authorization: `Bearer ${session()?.token}`,
    })
  if (!session()) {
    toSignIn()
    return Promise.reject(failure('auth.signed_out', texts().signedOut))
  }
  return attempt().then(reply => {
    if (reply.statusCode !== 401) return read(reply)
    return renew().then(
      () => attempt().then(read),
      error => {
        // Without a network the session may live on.
        if (error.code !== 'network') {
          forgetSession()
          toSignIn()
        }
        throw error
      },
    )
  })
}

function toSignIn() {
  wx.reLaunch({ url: '/pages/sign-in/sign-in' })
}

module.exports = { ask, call, token }
