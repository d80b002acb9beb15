import type { LoraAct, LoraOutcome, SessionInfo, TransportName } from '../devices/gateway.port.ts'
import type { PlatformOutcome, PlatformReport } from '../telecom/platform-link.port.ts'

/** Bytes as they crossed a device's connection. */
export interface RawFrame {
  /** Grows with every frame of the installation, also over restarts of the gateway. */
  id: number
  /** Epoch ms. */
  at: number
  direction: 'up' | 'down'
  /** The first part of a long frame. */
  bytes: Uint8Array
  /** Length of the whole frame. */
  size: number
  /** Topic below the device's prefix, port, slave … as its transport names it; empty: there is only one. */
  channel: string
  /** What the transport has to say about it (checksum, repeated …); empty: nothing. */
  note: string
}

/** Somebody tried to sign in and was refused; the same from the same place counts up. */
export interface SignInRefusal {
  productKey: string
  /** As it was given; empty where the way of signing in carries none. */
  deviceNo: string
  reason: string
  transport: TransportName | string
  /** Without the port. */
  address: string
  firstAt: number
  lastAt: number
  count: number
  /** The secret was the device's own until it was rotated. */
  previousSecret: boolean
}

/** The connection behind which a slave is polled (Modbus), as the gateway has it. */
export interface PollingState {
  /** Since when the connection stands, epoch ms. */
  since: number
  /** Slaves that are polled over it. */
  slaves: number
  /** The device as one of them; null: nobody asks it anything. */
  slave: {
    address: number
    /** Questions of one poll; 0: its table is empty. */
    questions: number
    /** Polls in a row without an answer. */
    failures: number
    /** Since when it is on the bus, and its last poll, epoch ms. */
    since: number
    polledAt: number | null
  } | null
}

/** How the device path is for one device, asked of the gateway itself. */
export interface DevicePathState {
  session: SessionInfo | null
  /** The journal's writer of the device takes messages. */
  laneTakes: boolean
  laneQueued: number
  /** Free part of the volume, 0 to 1. */
  diskFree: number | null
  /** Epoch ms at which the certificate of the TLS port ends. */
  certificateUntil: number | null
  lastUpAt: number | null
  lastDownAt: number | null
  frames: number
  /** Where commands of the device's model would be said and its MQTT session does not listen, without the prefix. */
  unheard: string[]
  /** Null: no connection that is polled leads to the device. */
  polling: PollingState | null
  /** Refused sign-ins of the device's product, newest first. */
  refusals: SignInRefusal[]
}

/** What a simulated device does. `open`: nothing but being there. */
export type SimulatedAct =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'property'; payload: string }
  | { kind: 'event'; identifier: string; payload: string }
  | { kind: 'raw'; bytes: Uint8Array }
  | { kind: 'reply'; commandId: string; code: number; message: string | null; data: unknown }

export type SimulatedOutcome =
  | { outcome: 'stored' | 'open' | 'closed' }
  | { outcome: 'refused'; reason: string }
  /** A device of flesh and blood has the connection; or the device may not connect; or it is over its limits. */
  | { outcome: 'unavailable'; reason: 'connected' | 'disabled' | 'not_published' | 'unknown_device' | 'overloaded' }

export type SendOutcome = 'sent' | 'offline' | 'not_subscribed' | 'unsupported'

/** A question to the gateway, with the type of its answer. */
export interface Probes {
  frames: { ask: { device: number }; answer: RawFrame[] }
  state: { ask: { device: number; productKey: string }; answer: DevicePathState }
  refusals: { ask: { productKey: string }; answer: SignInRefusal[] }
  send: { ask: { device: number; bytes: Uint8Array }; answer: SendOutcome }
  /** No question of a person, but it takes the same way. */
  lora: { ask: { productKey: string; deviceNo: string; act: LoraAct }; answer: LoraOutcome }
  simulate: { ask: { productKey: string; deviceNo: string; act: SimulatedAct }; answer: SimulatedOutcome }
  platform: { ask: PlatformReport; answer: PlatformOutcome }
}

export type Probe = { [K in keyof Probes]: { probe: K } & Probes[K]['ask'] }[keyof Probes]

/** What people who look for a fault may ask of the process that holds the devices' sessions. */
export interface DiagnosisPort {
  /** Null: the gateway does not answer. */
  probe<K extends keyof Probes>(probe: K, ask: Probes[K]['ask']): Promise<Probes[K]['answer'] | null>
  /** From now on, frames of exactly these devices are told as they come. */
  watchFrames(devices: readonly number[]): void
}
