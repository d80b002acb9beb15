import { randomBytes } from 'node:crypto'

/** Of the latest milliseconds in which this process made ids: the counter of the last one. */
const counters = new Map<number, number>()
const REMEMBERED = 64
/** 26 bits, which begin in their lower half at random: there is room for those that follow. */
const COUNTER_BITS = 26

/**
 * UUIDv7 (RFC 9562 §5.7): time ordered, so that indexes grow at one end. Behind the time stands a counter (§6.2): what one
 * process makes one after the other is ordered within a millisecond, too, and so are lists by id.
 */
export function newId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16)
  const before = counters.get(nowMs)
  const counter = before === undefined ? bytes.readUInt32BE(6) >>> (33 - COUNTER_BITS) : before + 1
  counters.set(nowMs, counter)
  if (counters.size > REMEMBERED) counters.delete(counters.keys().next().value!)
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | (counter >>> 14), 6)
  bytes.writeUInt16BE(0x8000 | (counter & 0x3fff), 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether the text can be handed to PostgreSQL as a uuid. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

const KEY_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'

/** A readable random key without look-alike characters; 57 symbols, unbiased. */
export function randomKey(length: number, alphabet: string = KEY_ALPHABET): string {
  let out = ''
  const limit = 256 - (256 % alphabet.length)
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < limit && out.length < length) out += alphabet[byte % alphabet.length]
    }
  }
  return out
}
