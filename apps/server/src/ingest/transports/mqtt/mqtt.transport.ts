import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { dialectsOf } from '../../dialects/index.ts'
import type {
  DeliveryResult,
  DisconnectReason,
  DownlinkMessage,
  IngestPort,
  SessionInfo,
  Transport,
} from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { Broker } from './broker.ts'
import { DeviceHost } from './device-host.ts'
import { defaultLimits, type MqttLimits } from './limits.ts'
import { type ListenAddress, Listener, type TlsMaterial } from './listener.ts'
import { Reason } from './protocol.ts'
import { waysOf } from './sayings.ts'
import type { SessionStore } from './session-store.ts'
import { SharedDoor } from './shared-door.ts'
import { type SubscriberDoor, SubscriberHost, type SubscriberSessions } from './subscriber-host.ts'

export interface MqttTransportOptions {
  ingest: IngestPort
  /**
   * A device confirmed a command that was written before its last reconnect or before the last restart: the `delivered`
   * of that `deliver` is gone, only the command's id is left.
   */
  delivered(device: number, commandId: string): void
  /** Clients that may sign in as a subscription. Absent: none. */
  subscribers?: SubscriberDoor
  store: SessionStore
  log: Logger
  /** Null = no such door. */
  tcp: ListenAddress | null
  tls: (ListenAddress & TlsMaterial) | null
  limits?: Partial<MqttLimits>
  clock?: Clock
  /** Milliseconds that only grow, for silence and patience; default: the process's own. */
  monotonic?: () => number
}

export interface MqttTransport extends Transport {
  /** Ports that were got, after `start`. */
  ports(): { mqtt: number | null; mqtts: number | null }
  /**
   * Takes over an HTTP upgrade of `/mqtt`. `address` ("ip:port") replaces the socket's peer when the request came
   * through our own API process.
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address?: string): void
  /** What the TLS port shows to those who connect from now on. */
  renewCertificate(material: TlsMaterial): void
  /** Clients of subscriptions. */
  readonly subscribers: SubscriberSessions
  /** For metrics. */
  connections(): { signedIn: number; strangers: number }
}

/** MQTT 3.1, 3.1.1 and 5.0 for devices, over TCP, TLS and WebSocket. */
export function createMqttTransport(options: MqttTransportOptions): MqttTransport {
  const clock = options.clock ?? systemClock
  const subscribers = new SubscriberHost(options.subscribers ?? { signIn: async () => false, ready: () => undefined })
  const devices = new DeviceHost(options.ingest, options.delivered, options.log, () => clock.now())
  const broker = new Broker({
    host: new SharedDoor(devices, subscribers),
    store: options.store,
    limits: { ...defaultLimits, ...options.limits },
    log: options.log,
    now: () => clock.now(),
    monotonic: options.monotonic ?? (() => performance.now()),
  })
  const listener = new Listener(broker)
  const got: { mqtt: number | null; mqtts: number | null } = { mqtt: null, mqtts: null }

  return {
    async start() {
      await broker.start()
      if (options.tcp) got.mqtt = await listener.listenTcp(options.tcp)
      if (options.tls) got.mqtts = await listener.listenTls(options.tls, options.tls)
    },

    renewCertificate: material => listener.renew(material),

    async stop() {
      const closed = listener.close()
      await broker.stop()
      listener.destroyAll()
      await closed
    },

    deliver(device: DeviceRecord, message: DownlinkMessage, delivered: () => void): DeliveryResult {
      const session = broker.sessions.get(device.num)
      if (!session?.connection) return 'not_reachable'
      const dialects = dialectsOf(options.ingest.settingsOf(device))
      for (const { topic, payloads, settles } of waysOf(device, session.prefix, message, dialects)) {
        const subscription = session.match(topic)
        if (!subscription) continue
        const settle = () => {
          const target = message.sub ?? device
          if (settles) options.ingest.commandReply(target, { commandId: message.commandId, code: 0 })
        }
        const arrived = () => {
          delivered()
          settle()
        }
        for (const [i, payload] of payloads.entries()) {
          // Of several messages the last one carries the command: when it has arrived, all have.
          const last = i === payloads.length - 1
          const result = session.send({
            topic,
            payload,
            qos: subscription.qos,
            retain: false,
            properties: null,
            expiresAt: 0,
            tag: message.commandId,
            onDelivered: last ? arrived : () => undefined,
          })
          if (result !== 'sent' && result !== 'confirmed_later') return 'not_reachable'
          options.ingest.frame(device, 'down', payload, { channel: topic.replace(session.prefix, '') })
          if (!last) continue
          if (result === 'confirmed_later') return 'sent_confirmed_later'
          settle()
          return 'sent'
        }
      }
      return 'not_reachable'
    },

    kick(deviceNum: number, reason: DisconnectReason) {
      const connection = broker.sessions.get(deviceNum)?.connection
      connection?.end(reason === 'taken_over' ? Reason.takenOver : Reason.administrative, reason)
    },

    session(deviceNum: number): SessionInfo | null {
      const session = broker.sessions.get(deviceNum)
      return session?.connection?.info(session) ?? null
    },

    subscribers,
    ports: () => got,
    handleUpgrade: (request, socket, head, address) => listener.handleUpgrade(request, socket, head, address),
    connections: () => ({ signedIn: broker.connected, strangers: broker.admission.waiting }),
  }
}
