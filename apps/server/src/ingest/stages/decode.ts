import type { Codec, DecodeResult } from '../codecs/codec.ts'
import { MAX_PAYLOAD_BYTES } from '../codecs/json/json.codec.ts'
import type { RawUplink } from '../uplink.ts'
import type { IdentifiedUplink } from './identify.ts'

/** An uplink beside what its product's format read out of it; without `decoded` its payload is JSON. */
export interface DecodedUplink extends IdentifiedUplink {
  readonly decoded?: DecodeResult
}

/**
 * Reads a frame in the product's own format. Undefined: the payload is the JSON of the standard topics, as all channels
 * but `raw` are, and `raw` too where the product has no format. A promise: a script runs elsewhere; the frame's bytes
 * are not looked at any more once this has returned.
 */
export function decode({ raw, codec }: IdentifiedUplink): DecodeResult | Promise<DecodeResult> | undefined {
  if (raw.channel.kind !== 'raw' || !codec) return undefined
  if (raw.payload.length > MAX_PAYLOAD_BYTES)
    return refused('too_large', `${raw.payload.length} bytes, at most ${MAX_PAYLOAD_BYTES}`)
  const { port } = raw.channel
  const context = { deviceNo: raw.device.deviceNo, at: raw.arrivedAt, ...(port === undefined ? {} : { port }) }
  try {
    const decoded = codec.decode(raw.payload, context)
    return decoded instanceof Promise ? decoded.catch(brokenCodec(codec)) : decoded
  } catch (error) {
    return brokenCodec(codec)(error)
  }
}

/** A codec never throws; should one do so all the same, its frame is refused and the gateway goes on. */
const brokenCodec =
  ({ kind }: Codec) =>
  (error: unknown): DecodeResult =>
    refused('format_mismatch', `the ${kind} format failed: ${String(error).slice(0, 200)}`)

function refused(reason: 'too_large' | 'format_mismatch', detail: string): DecodeResult {
  return { ok: false, reason, path: '', detail }
}

/** The uplink with bytes of its own: the transport's buffer is ours during the call only. */
export function keep<U extends { raw: RawUplink }>(uplink: U): U {
  return { ...uplink, raw: { ...uplink.raw, payload: Buffer.from(uplink.raw.payload) } }
}
