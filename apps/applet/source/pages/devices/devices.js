const { whileShown } = require('../../lib/again.js')
const { call } = require('../../lib/api.js')
const { readMe } = require('../../lib/me.js')
const { linkOf, time } = require('../../lib/show.js')
const { texts } = require('../../lib/texts.js')

const STEP = 20
const PAUSE_MS = 15_000

Page({
  data: { t: {}, items: [], more: false, loaded: false, q: '', fault: '' },

  onShow() {
    this.setData({ t: texts() })
    if (!wx.getStorageSync('me')) readMe().catch(() => undefined)
    this.steps = this.steps || 1
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

  onSearch(event) {
    this.steps = 1
    this.setData({ q: event.detail.value.trim() })
    return this.read()
  },

  onMore() {
    this.steps += 1
    return this.read()
  },

  open(event) {
    wx.navigateTo({ url: `/pages/device/device?id=${event.currentTarget.dataset.id}` })
  },

  read() {
    const { q } = this.data
    const { steps } = this
    const page = (cursor, n, before) =>
      call(
        'GET',
        `/devices?limit=${STEP}${q ? `&q=${encodeURIComponent(q)}` : ''}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      ).then(reply => {
        const items = before.concat(reply.items)
        return reply.nextCursor && n + 1 < steps
          ? page(reply.nextCursor, n + 1, items)
          : { items, more: reply.nextCursor !== null }
      })
    return page(null, 0, []).then(
      ({ items, more }) => {
        // Another question was asked meanwhile: its answer counts.
        if (q !== this.data.q || steps !== this.steps) return
        const t = texts()
        const shown = items.map(device => {
          const link = linkOf(device)
          return {
            id: device.id,
            name: device.name,
            deviceNo: device.deviceNo,
            link,
            state: t[link],
            seen: time(device.lastSeenAt),
          }
        })
        this.setData({ items: shown, more, loaded: true, fault: '' })
      },
      error => this.setData({ fault: error.message, loaded: true }),
    )
  },
})
