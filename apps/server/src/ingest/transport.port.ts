import type { LoraWay } from '@thingwright/contracts/commands.contract'
import type { SessionInfo, TransportName } from '../modules/devices/gateway.port.ts'
import type { ProductSettings } from './directory/product-cache.ts'
import type { Say } from './ota/chunk-server.ts'
import type { SignInRequest, SignInResult } from './sign-in-request.ts'
import type { DeviceRecord, RawUplink, UplinkOutcome } from './uplink.ts'

export type { SessionInfo, SignInRequest, SignInResult, TransportName }

export type DisconnectReason =
  | 'client' // the device said goodbye
  | 'connection_lost'
  | 'keep_alive_timeout'
  | 'taken_over' // the same device connected again
  | 'kicked' // a person or a change of rights ended it
  | 'protocol_error'
  | 'server_stopping'
  | 'no_data' // a short link was silent for the offline delay
  | 'gateway_offline' // the gateway that speaks for the device went
  | 'unbound' // the device belongs to that gateway no more

/** What the gateway offers to every transport. Implemented once, in ingest/gateway. */
export interface IngestPort {
  signIn(request: SignInRequest): Promise<SignInResult>
  /**
   * 0 while the device and its company are within their limits, else ms until the device may send again. Who cannot
   * slow a device down by reading its socket later (HTTP, UDP, CoAP) asks before each message and refuses it above 0;
   * asking above 0 is counted as a refused message. MQTT and TCP need not ask: `hasRoom` is false meanwhile.
   */
  limited(device: DeviceRecord): number
  /**
   * Takes one message. `done` is called exactly once, after the message (or its refusal) is committed, and for one
   * device in the order of the calls; it is never called when the process stops before the commit. `reason` comes with
   * a refusal.
   */
  accept(uplink: RawUplink, done: (outcome: UplinkOutcome, reason?: string, path?: string) => void): void
  /** False while the device's lane is full: the caller pauses reading its socket and waits for `onDrain`. */
  hasRoom(device: DeviceRecord): boolean
  onDrain(device: DeviceRecord, resume: () => void): void
  /** A session is up; commands may flow after this. A second session of the same device has already ended the first. */
  sessionOpened(device: DeviceRecord, info: SessionInfo): void
  /** Subscriptions changed: queued commands may now be deliverable. */
  sessionReady(device: DeviceRecord): void
  sessionClosed(device: DeviceRecord, reason: DisconnectReason): void
  /** Replies to queries that are no uplinks (shadow/get, ntp/request): bytes to publish, or null to stay silent. */
  answer(
    device: DeviceRecord,
    query: { kind: 'shadow_get' } | { kind: 'ntp'; payload: Buffer; arrivedAt: number },
  ): Promise<Buffer | null>
  /** A device asks for bytes of its firmware (`ota/request`): they are said when its campaign's rate allows. */
  firmwareChunks(device: DeviceRecord, payload: Buffer, say: Say): void
  /** What a device that asks by itself is to install, `{"id": null}` for nothing; null: cannot be said now. */
  firmwarePull(device: DeviceRecord, payload: Buffer): Promise<Buffer | null>
  /**
   * The answer to a command that the transport itself knows (a Modbus write that was read back, a frame that matched).
   * Code 0: done. Written like a device's own reply.
   */
  commandReply(
    device: DeviceRecord,
    reply: { commandId: string; code: number; message?: string; data?: unknown },
    done?: () => void,
  ): void
  /** Bytes as they crossed the wire, for the raw view of the device; kept in memory only. */
  frame(
    device: DeviceRecord,
    direction: 'up' | 'down',
    bytes: Buffer,
    detail?: { channel?: string; note?: string },
  ): void
  /** A line for the device's log (wrong secret, refused topic …) that is no uplink. */
  note(productKey: string, deviceNo: string, event: string, detail: Record<string, unknown>): void
  /** The device that a gateway means by a name, which counts as heard of; null: none bound to it that may speak. */
  resolveSub(gateway: DeviceRecord, sub: string): Promise<DeviceRecord | null>
  /** One of a gateway's devices left: the gateway said so, or it does not answer (`no_data`). */
  subLeft(gateway: DeviceRecord, device: DeviceRecord, reason?: 'client' | 'no_data'): void
  /** How the product's devices connect and speak; null while it was not read. */
  settingsOf(device: DeviceRecord): ProductSettings | null
  /** Commands of the device that were sent and not answered, the newest first; at most 100. */
  openCommands(device: DeviceRecord): Promise<{ id: string; kind: string; identifier: string | null }[]>
}

/** A message to a device: topic below the device's own prefix, for example `property/set`. */
export interface DownlinkMessage {
  /** Row id of the command; the transport remembers it with the packet id. */
  commandId: string
  suffix: string
  payload: Buffer
  /** The device below the addressed gateway that is meant; absent: the addressed device itself. */
  sub?: DeviceRecord
  /** What was asked, for transports whose devices speak another language than topics and JSON. */
  command: {
    kind: 'property_set' | 'service' | 'raw' | 'firmware'
    identifier: string | null
    params: Record<string, unknown>
  }
  /**
   * What to write to a device that speaks bytes (TCP, UDP, `raw/down`), one frame after the other: the payload of a raw
   * command, or the command encoded by the product's format. Absent: the transport speaks topics and JSON, or makes its
   * own bytes from `command` (Modbus registers).
   */
  frames?: readonly Buffer[]
  /** What was chosen of the way down to a LoRaWAN device; absent: the usual way. */
  lora?: LoraWay
  /**
   * What the device answers. Whoever delivers need not look: frames taken by `IngestPort.accept` as `raw` are compared
   * and the reply is written. Transports of a shared bus use it to know when the line is free again. Absent: no answer.
   */
  expects?: ReplyMatcher
  /** How long an answer is waited for, ms. */
  timeoutMs?: number
}

/** Recognises the frame with which a device answers a command. Never throws. */
export interface ReplyMatcher {
  matches(frame: Buffer): boolean
  /** The answer carries readings, so the product's format reads it too; false: it only acknowledges. */
  readonly carriesData: boolean
}

export type DeliveryResult =
  /** Not connected, or connected but not subscribed to the topic: the command stays queued. */
  | 'not_reachable'
  /** Written to the socket at QoS 0: there will be no word of delivery. */
  | 'sent'
  /** Written at QoS 1 or 2: `delivered` will be called on PUBACK / PUBCOMP. */
  | 'sent_confirmed_later'

export interface Transport {
  start(): Promise<void>
  /** Stops accepting, lets what was taken be acknowledged, closes. */
  stop(): Promise<void>
  /** Hands one command to the device's session. Never queues: only the commands table queues. */
  deliver(device: DeviceRecord, message: DownlinkMessage, delivered: () => void): DeliveryResult
  kick(deviceNum: number, reason: DisconnectReason): void
  session(deviceNum: number): SessionInfo | null
}
