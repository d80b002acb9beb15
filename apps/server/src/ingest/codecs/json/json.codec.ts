import { isUtf8 } from 'node:buffer'
import type { RefusalReason } from '../../uplink.ts'

/** Longest payload, in bytes (interfaces.md §4). */
export const MAX_PAYLOAD_BYTES = 65_536

export type DecodedJson =
  | { ok: true; value: unknown; text: string }
  | { ok: false; reason: RefusalReason; detail: string }

/**
 * Bytes of a message to a JSON value (RFC 8259, UTF-8 without a byte order mark). Of a name that stands twice in an
 * object the last counts. Whether the value can be stored is the thing model's question.
 */
export function decodeJson(payload: Buffer): DecodedJson {
  if (payload.length > MAX_PAYLOAD_BYTES)
    return { ok: false, reason: 'too_large', detail: `${payload.length} bytes, at most ${MAX_PAYLOAD_BYTES}` }
  if (!isUtf8(payload)) return { ok: false, reason: 'json_invalid', detail: 'not UTF-8' }
  const text = payload.toString('utf8')
  try {
    return { ok: true, value: JSON.parse(text), text }
  } catch (error) {
    return { ok: false, reason: 'json_invalid', detail: where(error) }
  }
}

/** The place of the mistake, without the engine's quotation of the payload. */
function where(error: unknown): string {
  const position = /at position (\d+)/.exec(String(error))?.[1]
  return position === undefined ? 'ends too early' : `unexpected character at position ${position}`
}
