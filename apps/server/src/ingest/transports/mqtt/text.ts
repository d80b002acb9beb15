import { isUtf8 } from 'node:buffer'
import { malformed } from './protocol.ts'

const PLUS = 0x2b
const HASH = 0x23
const SLASH = 0x2f

/**
 * U+0000 and surrogates MUST end the connection (MQTT 3.1.1 §1.5.3, 5.0 §1.5.4); control characters and non-characters
 * MAY, and do: nothing downstream (log, database, page) wants them in a name.
 */
const FORBIDDEN = /[\p{Cc}\p{Noncharacter_Code_Point}]/u

/** Reads the UTF-8 string in [start, end). Throws Fault 0x81 when it is not one that MQTT allows. */
export function readText(buffer: Buffer, start: number, end: number): string {
  for (let i = start; i < end; i++) {
    const c = buffer[i] as number
    if (c < 0x20 || c === 0x7f) throw malformed('control character in a string')
    if (c >= 0x80) return readWide(buffer, start, end)
  }
  return buffer.toString('latin1', start, end)
}

function readWide(buffer: Buffer, start: number, end: number): string {
  // isUtf8 refuses overlong forms, surrogates and code points above U+10FFFF
  if (!isUtf8(buffer.subarray(start, end))) throw malformed('ill-formed UTF-8')
  const text = buffer.toString('utf8', start, end)
  if (FORBIDDEN.test(text)) throw malformed('forbidden code point in a string')
  return text
}

/** Reads a topic name: a string of at least one character, no wildcards, at most `maxLevels` levels. */
export function readTopic(buffer: Buffer, start: number, end: number, maxLevels: number): string {
  if (start === end) throw malformed('empty topic name')
  let levels = 1
  for (let i = start; i < end; i++) {
    const c = buffer[i] as number
    if (c === PLUS || c === HASH) throw malformed('wildcard in a topic name')
    if (c === SLASH && ++levels > maxLevels) throw malformed('too many topic levels')
  }
  return readText(buffer, start, end)
}

/** True for a filter whose wildcards stand where MQTT 3.1.1 §4.7.1 allows them. */
export function isFilter(filter: string, maxLevels: number): boolean {
  if (filter === '') return false
  const levels = filter.split('/')
  if (levels.length > maxLevels) return false
  return levels.every(
    (level, i) =>
      level === '+' || (level === '#' && i === levels.length - 1) || !(level.includes('+') || level.includes('#')),
  )
}
