import type { Subscription } from './session.ts'

/** A message at QoS 1 or 2 that its device has not confirmed. */
export interface StoredOutbound {
  packetId: number
  /** Row id of the command. */
  tag: string
  qos: number
  /** PUBREC was received: only PUBREL is sent again. */
  released: boolean
  /** Topic below the device's prefix. */
  suffix: string
  payload: Buffer
  /** Property bytes; the device path has none and does not keep them. */
  properties: Buffer | null
}

export interface StoredSession {
  subscriptions: Subscription[]
  /** QoS 2 packet ids that were received and not released. */
  inbound: number[]
  /** In the order in which they were sent. */
  outbound: StoredOutbound[]
}

/**
 * What outlives a connection. Calls for one device take effect in the order in which they were made; every promise
 * rejects when the database cannot be reached.
 */
export interface SessionStore {
  /** Gives sessions that a crash left open their time of expiry, and removes expired ones. */
  start(): Promise<void>
  load(device: number): Promise<StoredSession | null>
  /** Removes everything of a device. */
  clear(device: number): Promise<void>
  /** The device is connected and its session will last `expirySeconds` longer than the connection. */
  open(device: number, expirySeconds: number): Promise<void>
  saveSubscriptions(device: number, subscriptions: readonly Subscription[]): Promise<void>
  /** The connection ended; the session lives until `expiresAt` (epoch ms). */
  close(device: number, expirySeconds: number, expiresAt: number): Promise<void>
  /** PUBREL: the packet id may be used again. Its insertion is the journal's. */
  releaseInbound(device: number, packetId: number): Promise<void>
  addOutbound(device: number, message: StoredOutbound): Promise<void>
  /** PUBREC was received. */
  releaseOutbound(device: number, packetId: number): Promise<void>
  removeOutbound(device: number, packetId: number): Promise<void>
  /** Waits for what was asked so far. */
  stop(): Promise<void>
}
