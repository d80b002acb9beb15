import type { SessionInfo, TransportName } from '../../lib/gateway-port.ts'
import type { DeviceRecord, RawUplink, UplinkOutcome } from '../uplink.ts'

export type { SessionInfo, TransportName }

export type SignInResult =
  | { ok: true; device: DeviceRecord }
  | { ok: false; reason: 'unknown_device' | 'wrong_secret' | 'disabled' | 'not_published' | 'unavailable' }

export interface SignInRequest {
  productKey: string
  deviceNo: string
  secret: Buffer
  /** Peer address "ip:port", for logs. */
  address: string
  transport: TransportName
}

export type DisconnectReason =
  | 'client' // the device said goodbye
  | 'connection_lost'
  | 'keep_alive_timeout'
  | 'taken_over' // the same device connected again
  | 'kicked' // a person or a change of rights ended it
  | 'protocol_error'
  | 'server_stopping'
  | 'no_data' // a short link was silent for the offline delay

/** What the gateway offers to every transport. Implemented once, in ingest/gateway. */
export interface IngestPort {
  signIn(request: SignInRequest): Promise<SignInResult>
  /**
   * Takes one message. `done` is called exactly once, after the message (or its refusal) is committed, and for one
   * device in the order of the calls; it is never called when the process stops before the commit. `reason` comes with
   * a refusal.
   */
  accept(uplink: RawUplink, done: (outcome: UplinkOutcome, reason?: string) => void): void
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
  /** A line for the device's log (wrong secret, refused topic …) that is no uplink. */
  note(productKey: string, deviceNo: string, event: string, detail: Record<string, unknown>): void
}

/** A message to a device: topic below the device's own prefix, for example `property/set`. */
export interface DownlinkMessage {
  /** Row id of the command; the transport remembers it with the packet id. */
  commandId: string
  suffix: string
  payload: Buffer
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
