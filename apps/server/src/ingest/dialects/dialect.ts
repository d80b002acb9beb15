import { decodeDeviceJson } from '../codecs/json/json.codec.ts'
import { bytesOf } from '../codecs/json/json-bytes.ts'
import type { UplinkChannel } from '../uplink.ts'

/** A name of a device as dialects need it. */
export interface Named {
  readonly productKey: string
  readonly deviceNo: string
}

/** A message towards the device. */
export interface DialectAnswer {
  topic: string
  payload: Buffer
}

/** What was wanted and is known of a device (interfaces.md §4, shadow). */
export interface KnownState {
  reported: Record<string, unknown>
  desired: Record<string, unknown>
  version: number
}

/** What became of the uplinks of one message: null when all were stored, else why the first was refused. */
export type Refused = string | null

/** A device below the gateway that speaks; by `productKey` it must also be of that product. */
export interface Below {
  name: string
  productKey?: string
}

/** One thing that a message of a dialect asks for. */
export type DialectAction =
  /** Goes into the journal like the same message of a device without a dialect. */
  | { kind: 'uplink'; below?: Below; channel: UplinkChannel; payload: Buffer }
  /** The answer to a command, by the number it was sent under. Code 0: done. */
  | { kind: 'reply'; below?: Below; number: number; code: number; message?: string; data?: unknown }
  | { kind: 'state'; below?: Below; answer(state: KnownState): DialectAnswer }
  /** Asks for the time, epoch ms. */
  | { kind: 'time'; answer(arrivedAt: number, now: number): DialectAnswer }
  /** A device below the gateway came or left. */
  | { kind: 'joined'; below: Below; proof?: Signature }
  | { kind: 'left'; below: Below }
  /** A line for the device's log. */
  | { kind: 'note'; event: string; detail: Record<string, unknown> }

/** A device's signature of its own name, as Alibaba's clients make it. */
export interface Signature {
  method: 'hmacmd5' | 'hmacsha1' | 'hmacsha256'
  content: string
  signature: string
}

export interface DialectMessage {
  actions: DialectAction[]
  /** What the device is told when everything is durable; null: nothing. */
  confirm?(refused: Refused): DialectAnswer | null
}

/** A command on its way into a dialect. */
export interface DialectCommand {
  /** What the device repeats in its answer; dialects know numbers only. */
  number: number
  kind: 'property_set' | 'service' | 'raw' | 'firmware'
  identifier: string | null
  params: Record<string, unknown>
  /** Bytes of a raw command, or of the product's format. */
  frames: readonly Buffer[]
  /** The device below the gateway that is meant. */
  below: (Named & { name: string }) | null
}

/** One way to say a command. */
export interface Saying extends DialectAnswer {
  /** The dialect has no answer to this: having arrived is all there will be. */
  settles: boolean
}

/**
 * A foreign topic tree over MQTT. Pure: what a topic means, and how a command is said. Never throws, whatever the bytes
 * are; what cannot be read becomes an uplink that the usual checks refuse and keep.
 */
export interface Dialect {
  readonly name: 'thingsboard' | 'alibaba'
  /** What publishing to the topic means; null: no topic of this dialect, or not of this device. */
  read(device: Named, topic: string): ((payload: Buffer) => DialectMessage) | null
  mayFilter(filter: string): boolean
  /** The ways to say a command, the best first. */
  say(device: Named, command: DialectCommand): Saying[]
}

/** The number under which a dialect's device sees a command: from the random end of its id, so nothing is to be remembered. */
export function numberOf(commandId: string): number {
  return Number.parseInt(commandId.slice(-8), 16) & 0x7fffffff
}

/** The object that a payload holds, or null. */
export function objectOf(payload: Buffer): Record<string, unknown> | null {
  const value = jsonOf(payload)
  return isObject(value) ? value : null
}

/** The value that a payload holds, read as the native topics read it: long whole numbers are texts of their digits. */
export function jsonOf(payload: Buffer): unknown {
  const decoded = decodeDeviceJson(payload)
  return decoded.ok ? decoded.value : undefined
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A payload that no device of this dialect may send: refused with its bytes, like any other. */
export function unreadable(payload: Buffer): DialectMessage {
  return { actions: [{ kind: 'uplink', channel: { kind: 'property' }, payload }] }
}

/** Most devices in one message of a gateway. */
const MOST_BELOW = 1_000

/** One message of a gateway for many devices: `{"{name}": values | {ts, values} | [{ts, values}, …], …}`. */
export function manyBelow(payload: Buffer): DialectMessage {
  const body = objectOf(payload)
  const names = body ? Object.keys(body) : []
  if (!body || names.length === 0 || names.length > MOST_BELOW) return unreadable(payload)
  return {
    actions: names.map(name => ({
      kind: 'uplink',
      below: { name },
      channel: { kind: 'property' },
      payload: bytesOf(body[name]),
    })),
  }
}
