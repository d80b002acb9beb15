import { isUtf8 } from 'node:buffer'
import type { FieldType, LabelField } from '@thingwright/contracts/format-schemas'
import { epochMs, localTime, readTime } from '../../../lib/written-time.ts'
import { readBcd, shortest } from '../modbus/decode.ts'
import type { Linear } from '../shared/linear.ts'
import { numberToWrite, readNumber } from '../shared/property-value.ts'
import { readNmea } from './nmea.ts'

/** Bytes that a type takes; null: as many as the field says. */
const SIZES: Readonly<Record<FieldType, number | null>> = {
  ascii: null,
  ascii_hex: null,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int24: 3,
  uint24: 3,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
  bcd: null,
  bit: null,
  bits: null,
  string: null,
  hex: null,
  nmea: null,
  time_s: 4,
  time_ms: 8,
  time_bcd: 6,
  time_text: null,
}

/** Bytes of the field; null: up to the end of its piece or frame. */
export function sizeOf(field: Pick<LabelField, 'type' | 'length'>): number | null {
  const fixed = SIZES[field.type]
  if (fixed !== null) return fixed
  if (field.length) return field.length
  return field.type === 'bit' || field.type === 'bits' ? 1 : null
}

/** No value although the bytes are right (a GPS without a fix, an empty text). */
export const NOTHING = Symbol('nothing')
/** The bytes hold no value of the type. */
export class Unreadable {
  constructor(readonly detail: string) {}
}

export interface FieldContext {
  linear: Linear
  zone: number
  /** The digits are a text, not a count: what stands before them counts too. */
  asText?: boolean
}

const MAX_BITS_BYTES = 8

/** The value of a field's bytes; never throws. */
export function readField(field: LabelField, raw: Buffer, { linear, zone, asText }: FieldContext): unknown {
  const bytes = field.endian === undefined ? raw : toBigEndian(raw, field.endian)
  switch (field.type) {
    case 'int8':
    case 'int16':
    case 'int24':
    case 'int32':
      return linear.toValue(bytes.readIntBE(0, bytes.length))
    case 'uint8':
    case 'uint16':
    case 'uint24':
    case 'uint32':
      return linear.toValue(bytes.readUIntBE(0, bytes.length))
    case 'int64':
      return wide(bytes.readBigInt64BE(0), linear)
    case 'uint64':
      return wide(bytes.readBigUInt64BE(0), linear)
    case 'float32':
      return finite(shortest(bytes.readFloatBE(0)), linear)
    case 'float64':
      return finite(bytes.readDoubleBE(0), linear)
    case 'bcd': {
      const digits = bytes.toString('hex')
      if (!/^\d+$/.test(digits)) return new Unreadable('not BCD')
      if (asText && linear.plain) return digits
      const value = Number(digits)
      if (Number.isSafeInteger(value)) return linear.toValue(value)
      return linear.plain ? digits.replace(/^0+/, '') : new Unreadable('more digits than a number holds')
    }
    case 'bit':
    case 'bits':
      return bitsOf(field, bytes, linear)
    case 'time_s':
      return epochMs(bytes.readUInt32BE(0), 's')
    case 'time_ms':
      return Number(bytes.readBigUInt64BE(0))
    case 'time_bcd': {
      const [year, month, day, hour, minute, second] = Array.from(bytes, byte => readBcd(Uint8Array.of(byte)))
      const time =
        year === undefined
          ? undefined
          : localTime(zone, 2000 + year, month ?? 0, day ?? 0, hour ?? 99, minute ?? 99, second ?? 99)
      return time ?? new Unreadable('not a time')
    }
    case 'hex':
      return raw.toString('hex')
    default:
      return textual(field.type, raw, linear, zone, asText === true)
  }
}

function textual(type: FieldType, raw: Buffer, linear: Linear, zone: number, asText: boolean): unknown {
  if (!isUtf8(raw)) return new Unreadable('not UTF-8')
  // Texts of a fixed width are filled up with NUL or blanks.
  const text = raw.toString('utf8').replaceAll('\0', '').trim()
  switch (type) {
    case 'ascii': {
      if (text === '') return NOTHING
      const value = readNumber(text)
      if (value === undefined) return new Unreadable('not a number')
      if (asText && linear.plain) return text
      if (typeof value === 'string' && !linear.plain) return new Unreadable('more digits than a number holds')
      return typeof value === 'number' ? linear.toValue(value) : value
    }
    case 'ascii_hex':
      if (text === '') return NOTHING
      return /^(?:0x)?[0-9a-fA-F]{1,13}$/.test(text)
        ? linear.toValue(Number.parseInt(text.replace(/^0x/i, ''), 16))
        : new Unreadable('not a hexadecimal number')
    case 'nmea':
      return nmea(text)
    case 'time_text':
      return readTime(text, zone) ?? new Unreadable('not a time')
    default:
      return text
  }
}

function nmea(text: string): unknown {
  const place = readNmea(text)
  if (place === 'checksum') return new Unreadable('the checksum of the sentence differs')
  return place ?? NOTHING
}

function finite(value: number, linear: Linear): unknown {
  return Number.isFinite(value) ? linear.toValue(value) : new Unreadable('not a finite number')
}

function wide(value: bigint, linear: Linear): unknown {
  const small = Number(value)
  if (Number.isSafeInteger(small)) return linear.toValue(small)
  return linear.plain ? value.toString() : new Unreadable('more digits than a number holds')
}

function bitsOf(field: LabelField, bytes: Buffer, linear: Linear): unknown {
  if (bytes.length > MAX_BITS_BYTES) return new Unreadable('too many bytes for bits')
  const bit = field.bit ?? 0
  if (bit >= bytes.length * 8) return new Unreadable('no such bit')
  let word = 0n
  for (const byte of bytes) word = (word << 8n) | BigInt(byte)
  const shifted = word >> BigInt(bit)
  if (field.type === 'bit') return (shifted & 1n) === 1n
  return linear.toValue(Number(shifted & ((1n << BigInt(field.bits ?? 1)) - 1n)))
}

/**
 * Writes a value into the bytes of its field.
 * @returns what is wrong with the value, or null
 */
export function writeField(
  field: LabelField,
  target: Buffer,
  value: unknown,
  { linear, zone }: FieldContext,
): string | null {
  const size = target.length
  switch (field.type) {
    case 'string': {
      const bytes = Buffer.from(String(value))
      if (bytes.length > size) return `longer than ${size} bytes`
      bytes.copy(target)
      return null
    }
    case 'hex': {
      if (typeof value !== 'string' || !/^(?:[0-9a-fA-F]{2})*$/.test(value)) return 'not hex digits'
      if (value.length !== size * 2) return `not ${size} bytes`
      target.write(value, 'hex')
      return null
    }
    case 'nmea':
    case 'time_text':
      return 'cannot be written'
    default: {
      const number = numberToWrite(value)
      if (number === undefined) return 'not a number'
      const bytes = numberBytes(field, size, linear, number, zone, target)
      if (typeof bytes === 'string') return bytes
      toBigEndian(bytes, field.endian ?? 'big').copy(target)
      return null
    }
  }
}

const RANGE = (size: number, signed: boolean): [number, number] => {
  const span = 2 ** (size * 8)
  return signed ? [-span / 2, span / 2 - 1] : [0, span - 1]
}

function numberBytes(
  field: LabelField,
  size: number,
  linear: Linear,
  value: number,
  zone: number,
  current: Buffer,
): Buffer | string {
  const bytes = Buffer.alloc(size)
  const raw = linear.toRaw(value)
  const whole = Math.round(raw)
  const outside = (signed: boolean) => {
    const [low, high] = RANGE(size, signed)
    return whole < low || whole > high ? `${whole} is not between ${low} and ${high}` : null
  }
  switch (field.type) {
    case 'int8':
    case 'int16':
    case 'int24':
    case 'int32': {
      const problem = outside(true)
      if (problem) return problem
      bytes.writeIntBE(whole, 0, size)
      return bytes
    }
    case 'uint8':
    case 'uint16':
    case 'uint24':
    case 'uint32': {
      const problem = outside(false)
      if (problem) return problem
      bytes.writeUIntBE(whole, 0, size)
      return bytes
    }
    case 'int64':
      if (!Number.isSafeInteger(whole)) return 'beyond 2^53'
      bytes.writeBigInt64BE(BigInt(whole))
      return bytes
    case 'uint64':
      if (!Number.isSafeInteger(whole) || whole < 0) return 'not between 0 and 2^53'
      bytes.writeBigUInt64BE(BigInt(whole))
      return bytes
    case 'float32':
      if (Math.abs(raw) > 3.4028234663852886e38) return 'beyond a 32 bit float'
      bytes.writeFloatBE(raw)
      return bytes
    case 'float64':
      bytes.writeDoubleBE(raw)
      return bytes
    case 'bcd': {
      const digits = String(whole)
      if (whole < 0 || digits.length > size * 2 || !/^\d+$/.test(digits)) return `does not fit ${size * 2} digits`
      bytes.write(digits.padStart(size * 2, '0'), 'hex')
      return bytes
    }
    case 'bit':
    case 'bits': {
      const width = field.type === 'bit' ? 1 : (field.bits ?? 1)
      if (whole < 0 || whole >= 2 ** width) return `does not fit ${width} bits`
      if (size > MAX_BITS_BYTES || (field.bit ?? 0) + width > size * 8) return 'no such bit'
      // Other bits of the same bytes may have been written before.
      let word = 0n
      for (const byte of toBigEndian(current, field.endian ?? 'big')) word = (word << 8n) | BigInt(byte)
      const mask = ((1n << BigInt(width)) - 1n) << BigInt(field.bit ?? 0)
      word = (word & ~mask) | (BigInt(whole) << BigInt(field.bit ?? 0))
      for (let i = size - 1; i >= 0; i--, word >>= 8n) bytes[i] = Number(word & 0xffn)
      return bytes
    }
    case 'ascii':
    case 'ascii_hex': {
      const text = field.type === 'ascii' ? String(raw) : whole.toString(16).toUpperCase()
      if (text.length > size) return `longer than ${size} characters`
      const sign = text.startsWith('-') ? '-' : ''
      bytes.write(sign + text.slice(sign.length).padStart(size - sign.length, '0'), 'latin1')
      return bytes
    }
    case 'time_s':
      bytes.writeUInt32BE(Math.max(0, Math.floor(value / 1_000)) % 2 ** 32)
      return bytes
    case 'time_ms':
      bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.floor(value))))
      return bytes
    case 'time_bcd': {
      const local = new Date(value + zone * 60_000)
      if (Number.isNaN(local.getTime())) return 'not a time'
      bytes.write(local.toISOString().replace(/\D/g, '').slice(2, 14), 'hex')
      return bytes
    }
    default:
      return 'cannot be written'
  }
}

/** A value as the text of a piece between separators, or what is wrong with it. */
export function pieceText(
  field: LabelField,
  value: unknown,
  context: FieldContext,
): { text: string } | { problem: string } {
  if (field.type === 'string' || field.type === 'hex') return { text: String(value) }
  if (field.type === 'ascii' && context.linear.plain && typeof value === 'string' && readNumber(value) !== undefined)
    return { text: value }
  const number = numberToWrite(value)
  if (number === undefined) return { problem: 'not a number' }
  if (field.type === 'ascii_hex') return { text: Math.round(context.linear.toRaw(number)).toString(16).toUpperCase() }
  if (field.type === 'ascii') return { text: String(context.linear.toRaw(number)) }
  return { problem: 'cannot be written as text' }
}

type Endian = NonNullable<LabelField['endian']>

/** The bytes in the order big-endian, or back: every order is its own inverse. Orders of words need whole words. */
function toBigEndian(bytes: Buffer, endian: Endian): Buffer {
  const words = bytes.length % 2 === 0
  if (endian === 'big' || bytes.length < 2 || (endian === 'big_swap' && !words)) return bytes
  if (endian === 'little' || !words) return Buffer.from(bytes).reverse()
  if (endian === 'big_swap') return Buffer.from(bytes).swap16()
  return Buffer.from(bytes).reverse().swap16()
}
