import { isUtf8 } from 'node:buffer'
import { withExactIntegers } from '../../../lib/exact-json.ts'
import type { RefusalReason } from '../../uplink.ts'
import { mendJson } from './forgiving-json.ts'

/** Longest payload, in bytes (interfaces.md §4). */
export const MAX_PAYLOAD_BYTES = 65_536

export type DecodedJson =
  | { ok: true; value: unknown; text: string }
  | { ok: false; reason: RefusalReason; detail: string }

/**
 * Bytes of a message to a JSON value (RFC 8259, UTF-8). A byte order mark before it, and NUL and blanks around it, are
 * how devices and programs write and say nothing. Of a name that stands twice in an
 * object the last counts. Whether the value can be stored is the thing model's question.
 * @param most bytes of the longest payload
 */
export function decodeJson(payload: Buffer, most = MAX_PAYLOAD_BYTES): DecodedJson {
  if (payload.length > most)
    return { ok: false, reason: 'too_large', detail: `${payload.length} bytes, at most ${most}` }
  if (!isUtf8(payload)) return { ok: false, reason: 'json_invalid', detail: 'not UTF-8' }
  const text = withoutFilling(payload.toString('utf8'))
  try {
    const exact = withExactIntegers(text)
    return { ok: true, value: JSON.parse(exact), text: exact }
  } catch (error) {
    return { ok: false, reason: 'json_invalid', detail: where(error) }
  }
}

/**
 * A message of a device to a JSON value: as `decodeJson`, and what is no JSON is mended as far as it can be read in one
 * way only, so that a `nan` or a text that is not UTF-8 does not cost the other values.
 */
export function decodeDeviceJson(payload: Buffer, most = MAX_PAYLOAD_BYTES): DecodedJson {
  const decoded = decodeJson(payload, most)
  if (decoded.ok || decoded.reason !== 'json_invalid') return decoded
  const mended = mendJson(withoutFilling(payload.toString('utf8')))
  if (mended === null) return decoded
  const exact = withExactIntegers(mended)
  try {
    return { ok: true, value: JSON.parse(exact), text: exact }
  } catch {
    return decoded
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

/** The place of the mistake, without the engine's quotation of the payload. */
function where(error: unknown): string {
  const position = /at position (\d+)/.exec(String(error))?.[1]
  return position === undefined ? 'ends too early' : `unexpected character at position ${position}`
}
