import { performance } from 'node:perf_hooks'
import { silentLogger } from '../../../../lib/log.ts'
import type { DeviceRecord } from '../../../uplink.ts'
import type { Ack } from '../acks.ts'
import { Broker } from '../broker.ts'
import type { ConnectPacket, Will } from '../decoder.ts'
import type { Admission, InboundPublish, MqttHost } from '../host.ts'
import { defaultLimits, type MqttLimits } from '../limits.ts'
import { Listener, type TlsMaterial } from '../listener.ts'
import { forwardedProperties, Properties, readProperties, WILL } from '../properties.ts'
import { Reason } from '../protocol.ts'
import type { Message, Session } from '../session.ts'
import type { Route } from '../topics.ts'
import { MemoryStore } from './memory-store.ts'

/** A filter that nobody may subscribe to, so that suites can see a refusal. */
const FORBIDDEN_FILTER = 'test/nosubscribe'

/** General brokers keep messages for clients that are away; the device path does not. */
const LOOPBACK_LIMITS: MqttLimits = {
  ...defaultLimits,
  maxQueued: 1000,
  outboundWindow: 1000,
  maxKeepAliveSeconds: 60,
  // enough for suites that pretend to be many clients
  maxSubscriptions: 1000,
}

/**
 * A general broker on the session layer, for suites that expect one: anybody signs in, any topic is allowed, messages
 * go to whoever subscribed. Retained messages and shared subscriptions are not offered. Only tests and tools make one;
 * nothing of the product imports this file.
 */
class LoopbackHost implements MqttHost {
  sessions: Map<number, Session> = new Map()
  private readonly devices = new Map<string, DeviceRecord>()

  constructor(
    private readonly store: MemoryStore,
    private readonly maxUserProperties: number,
  ) {}

  async signIn(connect: ConnectPacket): Promise<Admission> {
    const clientId = connect.clientId === '' ? `auto-${this.devices.size}` : connect.clientId
    const num = this.devices.size
    const device = this.devices.get(clientId) ?? {
      num,
      id: clientId,
      tenantId: '',
      productId: '',
      productNum: 0,
      productKey: 'loopback',
      deviceNo: clientId,
      enabled: true,
      offlineDelaySeconds: 0,
      gateway: null,
      subAddress: null,
      overrides: {},
    }
    this.devices.set(clientId, device)
    return { ok: true, device, prefix: '' }
  }

  route(_session: Session, topic: string): Route {
    return { kind: 'open', topic }
  }

  publish(session: Session, route: Route, inbound: InboundPublish, ack: Ack): void {
    const { packet, buffer, arrivedAt } = inbound
    if (ack.qos === 2 && session.durable) this.store.insertInbound(session.device.num, ack.packetId)
    const properties =
      inbound.level === 5 ? forwardedProperties(buffer, packet.propertiesAt, packet.payloadStart) : null
    const message: Message = {
      topic: route.topic,
      payload: Buffer.from(inbound.payload),
      qos: packet.qos,
      retain: packet.retain,
      properties,
      expiresAt: packet.messageExpiry < 0 ? 0 : arrivedAt + packet.messageExpiry * 1000,
      tag: '',
      onDelivered: null,
    }
    // §4.7.2: clients should not talk to each other over names that begin with $
    if (message.topic.startsWith('$')) {
      ack.settle(Reason.notAuthorised)
      return
    }
    const reached = [...this.sessions.values()].some(other => other.match(message.topic))
    const reason = reached || ack.qos !== 1 ? Reason.success : Reason.noMatchingSubscribers
    // The order in which Mosquitto does it; suites written for it count on that.
    if (ack.qos === 2) ack.settle(reason)
    this.spread(session, message)
    if (ack.qos < 2) ack.settle(reason)
  }

  publishWill(session: Session, will: Will, arrivedAt: number): void {
    let expiresAt = 0
    let properties: Buffer | null = null
    if (will.properties) {
      const own = new Properties()
      readProperties(will.properties, 0, will.properties.length, WILL, this.maxUserProperties, own)
      if (own.messageExpiry >= 0) expiresAt = arrivedAt + own.messageExpiry * 1000
      properties = forwardedProperties(will.properties, 0, will.properties.length)
    }
    const { topic, payload, qos, retain } = will
    this.spread(session, { topic, payload, qos, retain, properties, expiresAt, tag: '', onDelivered: null })
  }

  private spread(from: Session, message: Message): void {
    for (const session of this.sessions.values()) {
      const match = session.match(message.topic)
      if (!match || (match.noLocal && session === from)) continue
      session.offer({
        ...message,
        qos: Math.min(message.qos, match.qos),
        retain: match.retainAsPublished && message.retain,
      })
    }
  }

  grant(_session: Session, filter: string, qos: number): number {
    return filter === FORBIDDEN_FILTER ? Reason.unspecified : qos
  }

  hasRoom(): boolean {
    return true
  }

  onRoom(): void {}
  opened(): void {}
  ready(): void {}
  closed(): void {}
  ended(): void {}
  delivered(): void {}
  note(): void {}
}

export interface LoopbackBroker {
  port: number
  tlsPort: number | null
  listener: Listener
  broker: Broker
  stop(): Promise<void>
}

export async function startLoopback(
  options: { port?: number; tls?: TlsMaterial; limits?: Partial<MqttLimits> } = {},
): Promise<LoopbackBroker> {
  const limits = { ...LOOPBACK_LIMITS, ...options.limits }
  const store = new MemoryStore()
  const host = new LoopbackHost(store, limits.maxUserProperties)
  const broker = new Broker({
    host,
    store,
    limits,
    log: silentLogger,
    now: () => Date.now(),
    monotonic: () => performance.now(),
  })
  host.sessions = broker.sessions
  await broker.start()
  const listener = new Listener(broker)
  const port = await listener.listenTcp({ host: '127.0.0.1', port: options.port ?? 0 })
  const tlsPort = options.tls ? await listener.listenTls({ host: '127.0.0.1', port: 0 }, options.tls) : null
  return {
    port,
    tlsPort,
    listener,
    broker,
    async stop() {
      const closed = listener.close()
      await broker.stop()
      listener.destroyAll()
      await closed
    },
  }
}
