export type TransportName =
  | 'mqtt'
  | 'mqtts'
  | 'mqtt-ws'
  | 'http'
  | 'tcp'
  | 'udp'
  | 'coap'
  | 'websocket'
  | 'gateway'
  | 'platform'
  | 'simulator'

/** Links without a connection: the device counts as there until it was silent for its offline delay. */
export const SHORT_LINKS: ReadonlySet<TransportName> = new Set(['http', 'udp', 'coap', 'gateway', 'platform'])

/** Facts about one live session, shown on the device's link page. */
export interface SessionInfo {
  transport: TransportName
  clientId: string
  address: string
  protocolVersion: string
  keepAliveSeconds: number
  connectedAt: number
  subscriptions: { filter: string; qos: number }[]
  bytesIn: number
  bytesOut: number
  messagesIn: number
  messagesOut: number
}

/** A port that a product claimed. */
export interface LinkPortState {
  /** Number of the product. */
  product: number
  port: number
  state: 'open' | 'failed'
  /** Why it could not be opened: EADDRINUSE and the like. */
  error: string | null
}

/** What the API process may ask of the process that holds the devices' sessions. Implemented over IPC. */
export interface GatewayPort {
  /** Commands of these devices were queued or cancelled. */
  wake(deviceNums: readonly number[]): void
  /** A device or product changed: the hot path forgets what it knew. */
  forget(what: { device?: number; product?: number }): void
  /** Ends the current session of a device, if any. */
  kick(deviceNum: number): void
  session(deviceNum: number): Promise<SessionInfo | null>
  /** Ports that belong to products, as the gateway has them; null: it did not answer. */
  linkPorts?(): Promise<LinkPortState[] | null>
}
