const { whileShown } = require('../../lib/again.js')
const { call } = require('../../lib/api.js')
const { may } = require('../../lib/me.js')
const { linkOf, time, valueText } = require('../../lib/show.js')
const { locale, texts } = require('../../lib/texts.js')

const PAUSE_MS = 5_000
const NUMBERS = ['int32', 'float', 'double']

/** How a property is set: a switch, a choice, a number; null: not from here. */
function controlOf(property) {
  if (property.access === 'r') return null
  const { type } = property.dataType
  if (type === 'bool') return 'switch'
  if (type === 'enum') return 'choice'
  return NUMBERS.indexOf(type) >= 0 ? 'number' : null
}

Page({
  data: { t: {}, device: null, rows: [], loaded: false, fault: '', busy: false },

  onLoad(query) {
    this.id = query.id
    this.typed = {}
    this.setData({ t: texts() })
  },

  onShow() {
    this.stop = whileShown(() => this.read(), PAUSE_MS)
  },

  onHide() {
    if (this.stop) this.stop()
  },

  onUnload() {
    this.onHide()
  },

  readModel() {
    if (this.model) return Promise.resolve(this.model)
    return call('GET', `/devices/${this.id}/thing-model`).then(reply => {
      this.model = reply.model.properties || []
      return this.model
    })
  },

  read() {
    return Promise.all([
      call('GET', `/devices/${this.id}`),
      this.readModel(),
      may('telemetry:read') ? call('GET', `/devices/${this.id}/properties`) : { items: [] },
    ]).then(
      ([device, properties, latest]) => {
        const t = texts()
        const english = locale() === 'en'
        const link = linkOf(device)
        const readings = {}
        for (const item of latest.items) readings[item.identifier] = item
        const mayCommand = may('device:command')
        const rows = properties.map(property => {
          const reading = readings[property.identifier]
          const value = reading ? reading.value : undefined
          const items = property.dataType.type === 'enum' ? property.dataType.items : []
          return {
            id: property.identifier,
            name: (english && property.ename) || property.name,
            text: valueText(property, value, t, english),
            at: reading ? time(reading.ts) : t.noValue,
            control: mayCommand ? controlOf(property) : null,
            on: value === true,
            names: items.map(item => (english && item.ename) || item.name),
            chosen: items.findIndex(item => item.value === value),
          }
        })
        wx.setNavigationBarTitle({ title: device.name })
        this.setData({ device: { name: device.name, link, state: t[link] }, rows, loaded: true, fault: '' })
      },
      error => this.setData({ fault: error.message, loaded: true }),
    )
  },

  onSwitch(event) {
    return this.send(event.currentTarget.dataset.id, event.detail.value)
  },

  onChoose(event) {
    const { id } = event.currentTarget.dataset
    const property = this.model.find(each => each.identifier === id)
    return this.send(id, property.dataType.items[Number(event.detail.value)].value)
  },

  onNumber(event) {
    this.typed[event.currentTarget.dataset.id] = event.detail.value
  },

  onSet(event) {
    const { id } = event.currentTarget.dataset
    const text = String(this.typed[id] === undefined ? '' : this.typed[id]).trim()
    if (text === '' || !Number.isFinite(Number(text))) return undefined
    return this.send(id, Number(text))
  },

  send(identifier, value) {
    this.setData({ busy: true, fault: '' })
    return call('POST', `/devices/${this.id}/commands`, { kind: 'property_set', params: { [identifier]: value } })
      .then(
        () => {
          wx.showToast({ title: texts().sent, icon: 'success' })
          return this.read()
        },
        // What the device was not sent must not look as if it were: the switch goes back.
        error => this.read().then(() => this.setData({ fault: error.message })),
      )
      .then(() => this.setData({ busy: false }))
  },
})
