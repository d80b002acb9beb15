import type { RefusalReason } from '../uplink.ts'

/** What one part of a frame said, before the thing model checks it. */
export interface Reading {
  /** Epoch ms as the device said it; absent: the time of arrival. */
  ts?: number
  /** Property (or event parameter) → value in engineering units, as JSON.parse would give it. */
  values: Record<string, unknown>
  /** These are the parameters of this event, not properties. */
  event?: string
  /** Number of the sub-device that speaks; absent: the device itself. */
  sub?: string
}

/** One part of a frame that could not be read, beside others that could. */
export type DecodeFault = { reason: RefusalReason; path: string; detail: string }
export type DecodeRefusal = DecodeFault & { ok: false }
export type DecodeResult =
  /** No readings: a frame that says nothing (a heartbeat, an acknowledgement). */
  { ok: true; readings: readonly Reading[]; faults?: readonly DecodeFault[] } | DecodeRefusal

/** What a codec may know besides the bytes. */
export interface CodecContext {
  deviceNo: string
  /** Epoch ms of arrival, or of sending. */
  at: number
  /** LoRaWAN port, MQTT sub-topic and the like. */
  port?: number
}

/** A command as a codec sees it. */
export interface CommandToEncode {
  id: string
  kind: 'property_set' | 'service'
  /** Of a service. */
  identifier: string | null
  /** Checked against the thing model. */
  params: Record<string, unknown>
}

export type EncodeResult =
  /** Sent one after the other. `port`: LoRaWAN port. */
  | { ok: true; frames: readonly Buffer[]; port?: number }
  | { ok: false; reason: 'not_encodable' | 'script_error' | 'script_timeout' | 'script_memory'; detail: string }

/** A part of a frame that a format recognised: what stands where. */
export interface FramePart {
  /** Property or parameter; null: head, separator, checksum … */
  identifier: string | null
  role: 'value' | 'time' | 'device' | 'ignore' | 'head' | 'tail' | 'separator' | 'checksum' | 'condition'
  type: string
  /** Byte offset from the start of the frame. */
  at: number
  length: number
  /** As read, after scale and offset; undefined where there is none. */
  value?: unknown
}

/**
 * A product's format, compiled: bytes of the device ↔ values of the thing model. Made once per product version and
 * shared by all its devices; never throws, whatever the bytes are; keeps nothing of a buffer it was handed.
 * Work that may take long (scripts) is done elsewhere and answered by a promise, so it never blocks the gateway.
 */
export interface Codec {
  readonly kind: string
  decode(frame: Buffer, context: CodecContext): DecodeResult | Promise<DecodeResult>
  encode(command: CommandToEncode, context: CodecContext): EncodeResult | Promise<EncodeResult>
  /** What stands where in a frame, also of one that is refused, as far as it was read. For the tester. */
  explain?(frame: Buffer): FramePart[]
  /** Lets go of what it holds elsewhere; the codec is not used afterwards. */
  close?(): void
}

/** The refusal of a frame that does not have the product's form. */
export function mismatch(path: string, detail: string): DecodeRefusal {
  return { ok: false, reason: 'format_mismatch', path, detail }
}

/**
 * What was read of a frame beside what could not be; a refusal when nothing was read.
 * @param faults in the order in which they were found
 */
export function readBeside(readings: readonly Reading[], faults: readonly DecodeFault[]): DecodeResult {
  const [first] = faults
  if (!first) return { ok: true, readings }
  const said = readings.some(({ values, event }) => event !== undefined || Object.keys(values).length > 0)
  return said ? { ok: true, readings, faults } : { ok: false, ...first }
}

/** A part of a frame that holds no value of its type. */
export function unreadable(path: string, detail: string): DecodeFault {
  return { reason: 'format_mismatch', path, detail }
}

export function notEncodable(detail: string): EncodeResult {
  return { ok: false, reason: 'not_encodable', detail }
}
