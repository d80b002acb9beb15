import type { ChildProcess } from 'node:child_process'
import type pg from 'pg'
import type { ChangedCommand } from '../../lib/news.ts'
import type {
  RegistrationAnswer,
  RegistrationRequest,
  SubDeviceRequest,
} from '../../modules/device-identity/registration.port.ts'
import type { LinkPortState, SessionInfo } from '../../modules/devices/gateway.port.ts'
import type { Probe, RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'
import type { FirmwareAnswer, FirmwareQuestion } from '../../modules/ota/firmware.port.ts'
import type { SubscriberAnswer, SubscriberMessage } from '../../modules/subscriptions/subscriber.port.ts'

/** Carries a device's address from the front door to the gateway's internal listener; whatever a client sent under this name is dropped. */
export const PEER_HEADER = 'x-thingwright-peer'

/** A port to listen on. When nobody asked for this very one, the next free port is taken instead of a busy one. */
export interface PortRequest {
  variable: string
  port: number
  explicit: boolean
}

/** Everything the gateway process must know to start. */
export interface GatewayStart {
  /** Of the telemetry role; plain values only, they cross a process boundary. */
  database: pg.PoolConfig
  /** Name of this node in device_sessions. */
  node: string
  host: string
  mqtt: PortRequest
  mqtts: PortRequest
  tcp: PortRequest
  udp: PortRequest
  coap: PortRequest
  tcpRange: { from: number; to: number }
  /** PEM files; null: a certificate of our own, made in `keysDir` on the first start. */
  tls: { certFile: string; keyFile: string } | null
  keysDir: string
  /** A folder on the volume whose free space decides whether messages are taken. */
  dataDir: string
  /** Unix socket of the internal listener: devices' HTTP and MQTT over WebSocket. At most 107 bytes. */
  socketPath: string
  log: { level: string; format: 'pretty' | 'json' }
  /**
   * Opens sealed device secrets, base64: HMAC sign-in needs the secret itself. Derived from SECRET_KEY for this purpose
   * alone; the gateway never has SECRET_KEY. Null: no HMAC sign-in.
   */
  deviceSecretKey?: string | null
}

/** Ports that were really taken. */
export interface GatewayPorts {
  mqtt: number
  mqtts: number | null
  tcp: number | null
  udp: number | null
  coap: number | null
}

/** Counters since the start of the gateway process; gauges end in a state word. */
export type GatewayMetrics = Record<string, number>

export type GatewayFailure =
  | { kind: 'port_busy'; variable: string; port: number }
  | { kind: 'port_denied'; variable: string; port: number }
  | { kind: 'other'; message: string }

export type GatewayQuestion = { session: number } | { metrics: true } | { linkPorts: true } | { probe: Probe }

export type ToGateway =
  | { type: 'start'; options: GatewayStart }
  | { type: 'stop' }
  /** The main process is alive; the gateway says the same at once. */
  | { type: 'beat' }
  | { type: 'wake'; devices: readonly number[] }
  | { type: 'forget'; device?: number; product?: number }
  | { type: 'kick'; device: number }
  /** Files that were renewed on disk are read now, not at the next look. */
  | { type: 'reload' }
  | { type: 'registered'; id: number; answer: RegistrationAnswer }
  | { type: 'firmware_answered'; id: number; answer: FirmwareAnswer | null }
  | {
      type: 'subscriber_deliver'
      id: number
      subscriptionId: string
      flow: string
      messages: readonly SubscriberMessage[]
    }
  | { type: 'subscriber_kick'; subscriptionId: string }
  | { type: 'watch_frames'; devices: readonly number[] }
  | { type: 'ask'; id: number; question: GatewayQuestion }

export type FromGateway =
  | { type: 'ready'; ports: GatewayPorts }
  | { type: 'failed'; failure: GatewayFailure }
  | { type: 'beat' }
  | { type: 'batch'; buffer: Uint8Array }
  | { type: 'commands'; changed: ChangedCommand[] }
  | { type: 'register'; id: number; request: RegistrationRequest | SubDeviceRequest }
  | { type: 'firmware'; id: number; asked: FirmwareQuestion }
  | { type: 'frames'; device: number; frames: RawFrame[]; missed: number }
  | { type: 'subscriber_ready'; subscriptionId: string }
  | { type: 'subscriber_answer'; id: number; answer: SubscriberAnswer }
  | {
      type: 'answer'
      id: number
      linkPorts?: LinkPortState[]
      session?: SessionInfo | null
      metrics?: GatewayMetrics
      probe?: unknown
    }

/** One end of the channel between the two processes. */
export interface IpcEnd<Out, In> {
  /** Never throws: a message to a process that is gone is lost, and whoever needs an answer has a time-out. */
  send(message: Out): void
  /**
   * Sends what may be lost (the reader finds the gap and reads the journal). False, and nothing is sent, while more
   * than `maxWaiting` bytes wait to be read: a slow reader must not fill this process's memory.
   */
  offer(message: Out, bytes: number): boolean
  onMessage(handle: (message: In) => void): void
  onGone(handle: () => void): void
}

type Channel = Pick<ChildProcess | NodeJS.Process, 'send' | 'connected' | 'on'>

/** Wraps a forked child, or this process towards its parent. */
export function ipcEnd<Out, In>(channel: Channel, maxWaiting: number = 16 * 1024 * 1024): IpcEnd<Out, In> {
  let waiting = 0
  const on = channel.on.bind(channel) as unknown as (event: string, listener: (value: never) => void) => void
  function post(message: Out, sent: () => void): void {
    // The channel may close between the check and the write: the callback takes the error, nothing is thrown.
    if (channel.send && channel.connected) channel.send(message as never, undefined, undefined, sent)
    else sent()
  }
  return {
    send: message => post(message, () => undefined),
    offer(message, bytes) {
      if (waiting + bytes > maxWaiting) return false
      waiting += bytes
      post(message, () => {
        waiting -= bytes
      })
      return true
    },
    onMessage: handle => void on('message', handle as (value: never) => void),
    onGone: handle => void on('disconnect', handle),
  }
}
