import { isUtf8 } from 'node:buffer'
import type { RefusalReason } from '../../uplink.ts'

/** Longest payload, in bytes (interfaces.md §4). */
export const MAX_PAYLOAD_BYTES = 65_536

export type DecodedJson =
  | { ok: true; value: unknown; text: string }
  | { ok: false; reason: RefusalReason; detail: string }

/**
 * Bytes of a message to a JSON value (RFC 8259, UTF-8). A byte order mark before it, and NUL and blanks around it, are
 * how devices and programs write and say nothing. Of a name that stands twice in an
 * object the last counts. Whether the value can be stored is the thing model's question.
 */
export function decodeJson(payload: Buffer): DecodedJson {
  if (payload.length > MAX_PAYLOAD_BYTES)
    return { ok: false, reason: 'too_large', detail: `${payload.length} bytes, at most ${MAX_PAYLOAD_BYTES}` }
  if (!isUtf8(payload)) return { ok: false, reason: 'json_invalid', detail: 'not UTF-8' }
  const text = withoutFilling(payload.toString('utf8'))
  try {
    const exact = withExactIntegers(text)
    return { ok: true, value: JSON.parse(exact), text: exact }
  } catch (error) {
    return { ok: false, reason: 'json_invalid', detail: where(error) }
  }
}

function withoutFilling(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isFilling(text.charCodeAt(from))) from++
  while (to > from && isFilling(text.charCodeAt(to - 1))) to--
  return from === 0 && to === text.length ? text : text.slice(from, to)
}

/** NUL, tab, LF, CR, blank, byte order mark. */
function isFilling(code: number): boolean {
  return code === 0 || code === 9 || code === 10 || code === 13 || code === 32 || code === 0xfeff
}

/** Enough digits in a row that a number of JavaScript may not hold them. */
const LONG_NUMBER = /\d{16}/
/** Texts, and numbers; a number is whole when it has neither fraction nor exponent. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * The text with whole numbers beyond 2^53, which JavaScript may round, as texts of their digits: an `int64` and a text
 * get every digit, other numbers take what they hold exactly and refuse the rest. Text that is no JSON stays so.
 */
export function withExactIntegers(text: string): string {
  if (!LONG_NUMBER.test(text)) return text
  return text.replace(TOKENS, token => (isBeyondSafe(token) ? `"${token}"` : token))
}

function isBeyondSafe(token: string): boolean {
  return token.length >= 16 && /^-?[1-9]\d*$/.test(token) && !Number.isSafeInteger(Number(token))
}

/** The place of the mistake, without the engine's quotation of the payload. */
function where(error: unknown): string {
  const position = /at position (\d+)/.exec(String(error))?.[1]
  return position === undefined ? 'ends too early' : `unexpected character at position ${position}`
}
