/**
 * The stages of one device message. Each stage has a type of its own, so that none can be skipped:
 * RawUplink (bytes from a socket) → ValidUplink (checked, or refused with a reason) → a row in the journal.
 */

import type { TopicRights } from './topics/topic-rights.ts'

/** What the hot path knows of a device; cached by the device directory, replaced whole when anything changes. */
export interface DeviceRecord {
  /** Integer of the installation, never reused; key of journal, latest and telemetry. */
  readonly num: number
  readonly id: string
  readonly tenantId: string
  readonly productId: string
  readonly productNum: number
  readonly productKey: string
  readonly deviceNo: string
  readonly enabled: boolean
  /** Seconds without data before a device on a short link (HTTP) counts as offline. */
  readonly offlineDelaySeconds: number
  /** Number of the gateway that speaks for this device; null: it speaks for itself. */
  readonly gateway: number | null
  /** Address below its gateway or bus (Modbus slave), as text; null: none. */
  readonly subAddress: string | null
  /** What this device does otherwise than its product says, as stored. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** What it may publish and subscribe to; null or absent: everything below its own prefix. */
  readonly rights?: TopicRights | null
  /** Messages it may send in a second; null or absent: not limited. */
  readonly messagesPerSecond?: number | null
}

/** How the gateway calls the device: its address, or its number when it has none. */
export function nameBelow(device: DeviceRecord): string {
  return device.subAddress ?? device.deviceNo
}

/** Where a message came in, after the topic or path was read. The identifier is not yet checked against the thing model. */
export type UplinkChannel =
  | { kind: 'property' }
  /** Bytes in the product's own format. */
  | { kind: 'raw'; port?: number }
  | { kind: 'event'; identifier: string }
  | { kind: 'property_set_reply' }
  | { kind: 'service_reply'; identifier: string }
  /** What a device says of its firmware: the version it runs, or how far an update is. */
  | { kind: 'firmware'; message: 'inform' | 'progress' }
  /** A topic or path that no device may use: refused, but kept and acknowledged like any refusal. */
  | { kind: 'unknown'; topic: string; reason?: RefusalReason }

export interface RawUplink {
  readonly device: DeviceRecord
  readonly channel: UplinkChannel
  readonly payload: Buffer
  /** Epoch ms at which the bytes had arrived. */
  readonly arrivedAt: number
  /** MQTT QoS 2 packet id: stored in the journal's own transaction. */
  readonly qos2PacketId?: number
  /** The gateway over whose session the message of a sub-device came; absent: the device's own. */
  readonly via?: DeviceRecord
}

/** Row kinds of the journal. The number is stored. */
export const JournalKind = {
  property: 1,
  event: 2,
  reply: 3,
  online: 4,
  offline: 5,
  refused: 6,
  /** Property values that only `latest` gets: history leaves them out by the property's store policy. */
  latest: 7,
  /** What a device said of its firmware: `FirmwareReport`. */
  firmware: 8,
} as const
export type JournalKind = (typeof JournalKind)[keyof typeof JournalKind]

/** Whether a row holds values of properties, kept in history or not. */
export function holdsProperties(kind: number): boolean {
  return kind === JournalKind.property || kind === JournalKind.latest
}

export const Quality = { good: 0, uncertain: 1, bad: 2 } as const
export type Quality = (typeof Quality)[keyof typeof Quality]

/** Why a message was refused; stable words, shown in the product's list of failing frames. */
export type RefusalReason =
  | 'json_invalid'
  | 'payload_shape'
  | 'property_unknown'
  | 'property_type'
  | 'property_range'
  | 'event_unknown'
  | 'service_unknown'
  | 'text_not_storable'
  | 'number_not_finite'
  | 'too_large'
  | 'topic_unknown'
  | 'not_storable'
  // of formats
  | 'format_mismatch'
  | 'checksum'
  | 'script_error'
  | 'script_timeout'
  | 'script_memory'
  | 'sub_device_unknown'
  // of transports
  | 'frame_too_long'
  | 'rate_limited'

/** One row to be appended to a lane. `values` is JSON text keyed by identifier, already normalised. */
export interface JournalEntry {
  readonly device: DeviceRecord
  readonly kind: JournalKind
  readonly arrivedAt: number
  /** The time the values count for. */
  readonly ts: number
  /** What the device said, when it differs from ts. */
  readonly deviceTs: number | null
  readonly quality: Quality
  /** JSON object text: property → value; {identifier, level, params}; {commandId, code, message, data}; {reason, transport, address}; FirmwareReport; of refusals {path, detail}. */
  readonly values: string | null
  /** The same values parsed, where whoever made the entry had them at hand. Only of properties. */
  readonly properties?: Readonly<Record<string, unknown>>
  /** Bytes of a refused message (first 8 KB), else null. */
  readonly raw: Buffer | null
  readonly refusedReason: string | null
  /** Marked late: goes to history, not over latest, fires nothing. */
  readonly late: boolean
}

/** What became of a message, told once it is durable. */
export type UplinkOutcome = 'stored' | 'refused'

/** Told once a message is durable; of a refusal also what it was about: the property, or the place in the message. */
export type UplinkDone = (outcome: UplinkOutcome, reason?: string, path?: string) => void

/** Takes one message; `done` is called once, in the device's order. */
export type AcceptUplink = (raw: RawUplink, done: UplinkDone) => void
