import type { LoraWay } from '@thingwright/contracts/commands.contract'
export type TransportName =
  | 'mqtt'
  | 'mqtts'
  | 'mqtt-ws'
  | 'http'
  | 'tcp'
  | 'udp'
  | 'coap'
  | 'websocket'
  | 'lora'
  | 'gateway'
  | 'platform'
  | 'simulator'

/** Links without a connection: the device counts as there until it was silent for its offline delay. */
export const SHORT_LINKS: ReadonlySet<TransportName> = new Set(['http', 'udp', 'coap', 'lora', 'gateway', 'platform'])

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

/** What a LoRaWAN network server says of a device, or is asked by whoever talks with it. */
export type LoraAct =
  /** It joined, or said how its battery is. */
  | { kind: 'heard'; gatewayId: string; version: string }
  /** `values`: JSON text of what the network server's own codec made of the bytes; null: it has none. */
  | {
      kind: 'uplink'
      gatewayId: string
      version: string
      port: number | null
      bytes: Uint8Array
      values: string | null
    }
  /** Commands that wait for the network server. */
  | { kind: 'take' }
  | { kind: 'delivered'; commandId: string }
  | { kind: 'returned'; commandIds: readonly string[] }
  | { kind: 'reply'; commandId: string; code: number; message: string | null }
  /** The network server dropped it: its time was over before the device could receive it. */
  | { kind: 'expired'; commandId: string; message: string }

/** A command on its way: bytes of the product's format, or JSON text for the network server's codec. */
export interface LoraCommand {
  id: string
  frames: readonly Uint8Array[] | null
  object: string | null
  /** What was chosen of its way; null: the usual one. */
  way: LoraWay | null
}

export type LoraOutcome =
  | { outcome: 'stored' }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'commands'; commands: readonly LoraCommand[] }
  | { outcome: 'unavailable'; reason: 'disabled' | 'not_published' | 'unknown_device' | 'overloaded' }

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
  /** Hands in what a network server said of a device; null: the gateway did not answer. */
  lora?(device: { productKey: string; deviceNo: string }, act: LoraAct): Promise<LoraOutcome | null>
  /** Ports that belong to products, as the gateway has them; null: it did not answer. */
  linkPorts?(): Promise<LinkPortState[] | null>
}
