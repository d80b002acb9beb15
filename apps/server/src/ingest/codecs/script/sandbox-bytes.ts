/**
 * What decoders written for Node.js and browsers read bytes with: `Buffer`, `atob`, `btoa`. Text that runs inside the
 * sandbox; it puts the three on the global object.
 */
export const SANDBOX_BYTES = `;(function (global) {
'use strict'
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
function base64Of(bytes) {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] << 16) | ((bytes[i + 1] || 0) << 8) | (bytes[i + 2] || 0)
    text += ALPHABET[group >> 18] + ALPHABET[(group >> 12) & 63]
    text += i + 1 < bytes.length ? ALPHABET[(group >> 6) & 63] : '='
    text += i + 2 < bytes.length ? ALPHABET[group & 63] : '='
  }
  return text
}
function fromBase64(text) {
  const bytes = []
  let held = 0, bits = 0
  for (const sign of String(text).replace(/-/g, '+').replace(/_/g, '/')) {
    const at = ALPHABET.indexOf(sign)
    if (at < 0) { if (sign === '=') break; continue }
    held = ((held << 6) | at) & 0xffffff
    bits += 6
    if (bits >= 8) { bits -= 8; bytes.push((held >> bits) & 255) }
  }
  return bytes
}
function utf8Of(text) {
  const bytes = []
  for (const sign of String(text)) {
    const code = sign.codePointAt(0)
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63))
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
  }
  return bytes
}
function fromUtf8(bytes) {
  let text = ''
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i]
    const more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : -1
    let code = more === 0 ? first : first & (0x3f >> more)
    let whole = more >= 0 && i + more < bytes.length
    for (let k = 1; whole && k <= more; k++) {
      if ((bytes[i + k] & 0xc0) !== 0x80) whole = false
      else code = (code << 6) | (bytes[i + k] & 63)
    }
    text += whole ? String.fromCodePoint(code) : '\\uFFFD'
    i += whole ? more + 1 : 1
  }
  return text
}
function encoded(text, encoding) {
  switch (String(encoding || 'utf8').toLowerCase()) {
    case 'hex': {
      const bytes = []
      for (let i = 0; i + 1 < text.length; i += 2) {
        const byte = parseInt(text.slice(i, i + 2), 16)
        if (!(byte >= 0) || !/^[0-9a-fA-F]{2}$/.test(text.slice(i, i + 2))) break
        bytes.push(byte)
      }
      return bytes
    }
    case 'base64': case 'base64url': return fromBase64(text)
    case 'ascii': case 'latin1': case 'binary': return Array.from(text, sign => sign.charCodeAt(0) & 255)
    case 'utf16le': case 'ucs2': case 'utf-16le': case 'ucs-2': {
      const bytes = []
      for (let i = 0; i < text.length; i++) bytes.push(text.charCodeAt(i) & 255, text.charCodeAt(i) >> 8)
      return bytes
    }
    default: return utf8Of(text)
  }
}
const viewOf = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
function whole(bytes, at, length, little, signed) {
  if (at < 0 || at + length > bytes.length) throw new RangeError('offset ' + at + ' is beyond the ' + bytes.length + ' bytes')
  let value = 0
  for (let i = 0; i < length; i++) value = value * 256 + bytes[little ? at + length - 1 - i : at + i]
  return signed && value >= Math.pow(2, length * 8 - 1) ? value - Math.pow(2, length * 8) : value
}
class Buffer extends Uint8Array {
  static from(value, encoding, length) {
    if (typeof value === 'string') return new Buffer(encoded(value, encoding))
    if (value instanceof ArrayBuffer) return new Buffer(value, encoding, length)
    if (value && value.type === 'Buffer' && Array.isArray(value.data)) return new Buffer(value.data)
    return new Buffer(Array.from(value))
  }
  static alloc(size, fill) { const made = new Buffer(size); return fill === undefined ? made : made.fill(fill) }
  static allocUnsafe(size) { return new Buffer(size) }
  static isBuffer(value) { return value instanceof Buffer }
  static byteLength(value, encoding) { return typeof value === 'string' ? encoded(value, encoding).length : value.byteLength }
  static concat(list, length) {
    const bytes = []
    for (const part of list) for (const byte of part) bytes.push(byte)
    return new Buffer(length === undefined ? bytes : bytes.slice(0, length))
  }
  slice(from, to) { return this.subarray(from, to) }
  toString(encoding, from, to) {
    const bytes = Array.from(this.subarray(from || 0, to === undefined ? this.length : to))
    switch (String(encoding || 'utf8').toLowerCase()) {
      case 'hex': return bytes.map(byte => (byte < 16 ? '0' : '') + byte.toString(16)).join('')
      case 'base64': return base64Of(bytes)
      case 'base64url': return base64Of(bytes).replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '')
      case 'ascii': return bytes.map(byte => String.fromCharCode(byte & 127)).join('')
      case 'latin1': case 'binary': return bytes.map(byte => String.fromCharCode(byte)).join('')
      case 'utf16le': case 'ucs2': case 'utf-16le': case 'ucs-2': {
        let text = ''
        for (let i = 0; i + 1 < bytes.length; i += 2) text += String.fromCharCode(bytes[i] | (bytes[i + 1] << 8))
        return text
      }
      default: return fromUtf8(bytes)
    }
  }
  toJSON() { return { type: 'Buffer', data: Array.from(this) } }
  equals(other) { return this.length === other.length && this.every((byte, i) => byte === other[i]) }
  copy(target, at, from, to) { const part = this.subarray(from || 0, to === undefined ? this.length : to); target.set(part, at || 0); return part.length }
  write(text, at, length, encoding) {
    if (typeof at === 'string') { encoding = at; at = 0 }
    const bytes = encoded(text, encoding).slice(0, this.length - (at || 0))
    this.set(bytes, at || 0)
    return bytes.length
  }
  readUIntBE(at, length) { return whole(this, at, length, false, false) }
  readUIntLE(at, length) { return whole(this, at, length, true, false) }
  readIntBE(at, length) { return whole(this, at, length, false, true) }
  readIntLE(at, length) { return whole(this, at, length, true, true) }
  writeUIntBE(value, at, length) { for (let i = length - 1; i >= 0; i--) { this[at + i] = value & 255; value = Math.floor(value / 256) } return at + length }
  writeUIntLE(value, at, length) { for (let i = 0; i < length; i++) { this[at + i] = value & 255; value = Math.floor(value / 256) } return at + length }
}
const KINDS = [['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4], ['Int32', 'Int32', 4],
  ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigUInt64', 'BigUint64', 8], ['BigInt64', 'BigInt64', 8]]
for (const [name, of, length] of KINDS) {
  for (const end of length === 1 ? [''] : ['BE', 'LE']) {
    const little = end === 'LE'
    const read = function (at) {
      const from = at === undefined ? 0 : at
      if (from < 0 || from + length > this.length) throw new RangeError('offset ' + from + ' is beyond the ' + this.length + ' bytes')
      return viewOf(this)['get' + of](from, little)
    }
    const write = function (value, at) { viewOf(this)['set' + of](at === undefined ? 0 : at, value, little); return (at || 0) + length }
    for (const alias of new Set([name, name.replace('UInt', 'Uint')])) {
      Object.defineProperty(Buffer.prototype, 'read' + alias + end, { value: read, writable: true, configurable: true })
      Object.defineProperty(Buffer.prototype, 'write' + alias + end, { value: write, writable: true, configurable: true })
    }
  }
}
for (const kind of ['UIntBE', 'UIntLE']) {
  Object.defineProperty(Buffer.prototype, 'read' + kind.replace('UInt', 'Uint'), { value: Buffer.prototype['read' + kind], writable: true, configurable: true })
}
global.Buffer = Buffer
global.btoa = text => base64Of(encoded(String(text), 'latin1'))
global.atob = text => fromBase64(text).map(byte => String.fromCharCode(byte)).join('')
})(globalThis);
`
