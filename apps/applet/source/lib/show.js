const two = n => (n < 10 ? `0${n}` : String(n))

/** Time of day, with the date when it is another day. */
function time(value) {
  if (value === null || value === undefined) return ''
  const at = new Date(value)
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
  if (at.toDateString() === new Date().toDateString()) return clock
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`
}

/** How a device is: online, offline, never, disabled. */
function linkOf(device) {
  if (device.lifecycle === 'disabled') return 'disabled'
  if (device.link === 'online') return 'online'
  return device.lastSeenAt ? 'offline' : 'never'
}

/** The words of a value, by its property. */
function valueText(property, value, words, english) {
  if (value === undefined || value === null) return '–'
  const type = property.dataType
  if (type.type === 'bool') {
    const on = (english && type.trueEtext) || type.trueText || words.yes
    const off = (english && type.falseEtext) || type.falseText || words.no
    return value === true ? on : off
  }
  if (type.type === 'enum') {
    const item = type.items.find(each => each.value === value)
    return item ? (english && item.ename) || item.name : String(value)
  }
  if (typeof value === 'number') {
    const number = property.decimals === undefined ? String(value) : value.toFixed(property.decimals)
    return property.unit ? `${number} ${property.unit}` : number
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

module.exports = { linkOf, time, valueText }
