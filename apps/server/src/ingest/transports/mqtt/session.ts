import { inBackground } from '../../../lib/background.ts'
import type { Logger } from '../../../lib/log.ts'
import { matches } from '../../topics/topic-filter.ts'
import type { DeviceRecord } from '../../uplink.ts'
import type { Connection } from './connection.ts'
import type { SubscriptionRequest, Will } from './decoder.ts'
import type { MqttHost } from './host.ts'
import type { MqttLimits } from './limits.ts'
import { PacketType, protocolError, Reason } from './protocol.ts'
import type { SessionStore, StoredOutbound, StoredSession } from './session-store.ts'

export interface Subscription extends SubscriptionRequest {
  /** Subscription identifier of MQTT 5.0; 0 = none. */
  identifier: number
}

/** What a session's subscriptions say about one topic. */
export interface Match {
  qos: number
  retainAsPublished: boolean
  /** Every matching filter asked not to get the client's own messages. */
  noLocal: boolean
}

/** A message to the client. */
export interface Message {
  topic: string
  payload: Buffer
  qos: number
  retain: boolean
  properties: Buffer | null
  /** Epoch ms after which it is not worth sending; 0 = never. */
  expiresAt: number
  /** What the host calls it. */
  tag: string
  /** Called on PUBACK or PUBCOMP; null after a restart, when only the tag is left. */
  onDelivered: (() => void) | null
  /** Called instead when the client answers with an error (MQTT 5.0) or cannot take a message so long. */
  onRefused?: (reason: number) => void
}

/** stored → written → (QoS 2) recorded → released */
type Phase = 'storing' | 'ready' | 'written' | 'recording' | 'released'

interface Outbound {
  packetId: number
  message: Message
  phase: Phase
  dup: boolean
}

/** States of an inbound QoS 2 packet id. */
const COMMITTING = 1
const RECEIVED = 2
const RELEASING = 3

export interface SessionDeps {
  host: MqttHost
  store: SessionStore
  limits: MqttLimits
  log: Logger
  now(): number
  /** Nothing is under way any more. */
  idle(session: Session): void
}

export type SendResult = 'away' | 'full' | 'sent' | 'confirmed_later'

/**
 * What MQTT calls the session state of one client: subscriptions, QoS 2 ids in both directions, messages under way.
 * It belongs to the device, not to a connection, and is reset or restored at every CONNECT.
 */
export class Session {
  device: DeviceRecord
  prefix: string
  connection: Connection | null = null
  /** Survives its connection: rows exist in the store. */
  durable = false
  expirySeconds = 0
  /** Messages on their way to this client; null: as the limits say. */
  window: number | null = null
  subscriptions = new Map<string, Subscription>()
  /** The will of the current connection. */
  will: Will | null = null
  /** The will of the one before, while its delay runs. */
  pendingWill: Will | null = null
  willTimer: NodeJS.Timeout | null = null
  expiryTimer: NodeJS.Timeout | null = null
  /** One CONNECT of a device is worked on at a time. */
  opening: Promise<void> = Promise.resolve()
  openings = 0
  /** Publishes taken over any connection and not committed. */
  private pending = 0
  private idleWaiters: (() => void)[] = []
  private inbound = new Map<number, number>()
  private outbound = new Map<number, Outbound>()
  /** Outbound publishes written on this connection and not complete. */
  private inFlight = 0
  private lastPacketId = 0
  private queue: Message[] = []

  constructor(
    device: DeviceRecord,
    prefix: string,
    private readonly deps: SessionDeps,
  ) {
    this.device = device
    this.prefix = prefix
  }

  get unreleased(): number {
    return this.inbound.size
  }

  /** Nothing would be lost if this object went away. */
  get disposable(): boolean {
    return (
      this.connection === null &&
      this.pending === 0 &&
      this.openings === 0 &&
      this.willTimer === null &&
      this.expiryTimer === null &&
      this.queue.length === 0
    )
  }

  // ── life ──

  reset(): void {
    this.subscriptions = new Map()
    this.inbound = new Map()
    this.outbound = new Map()
    this.queue = []
    this.durable = false
  }

  restore(stored: StoredSession): void {
    this.subscriptions = new Map(stored.subscriptions.map(s => [s.filter, s]))
    this.inbound = new Map(stored.inbound.map(id => [id, RECEIVED]))
    this.outbound = new Map(stored.outbound.map(row => [row.packetId, this.outboundOf(row)]))
    this.durable = true
  }

  /** A connection took over; what was under way is sent again, in order (MQTT-4.4.0-1). */
  bind(connection: Connection): void {
    this.connection = connection
    this.inFlight = 0
  }

  redeliver(): void {
    for (const entry of this.outbound.values()) {
      if (entry.phase === 'released') this.connection?.sendAck(PacketType.pubrel, entry.packetId)
    }
    this.pump()
    this.drainQueue()
  }

  taken(): void {
    this.pending++
  }

  settled(): void {
    if (--this.pending > 0) return
    for (const wake of this.idleWaiters.splice(0)) wake()
    this.deps.idle(this)
  }

  /** Resolves when every publish taken so far is committed; false when that takes too long. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.pending === 0) return true
    return new Promise(resolve => {
      const timer = setTimeout(() => resolve(false), timeoutMs)
      this.idleWaiters.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }

  // ── subscriptions ──

  /** The highest QoS granted to a filter that matches the topic; null when none does. */
  match(topic: string): Match | null {
    let found: Match | null = null
    for (const subscription of this.subscriptions.values()) {
      if (!matches(subscription.filter, topic)) continue
      found ??= { qos: 0, retainAsPublished: false, noLocal: true }
      if (subscription.qos > found.qos) found.qos = subscription.qos
      if (subscription.retainAsPublished) found.retainAsPublished = true
      if (!subscription.noLocal) found.noLocal = false
    }
    return found
  }

  /** Identifiers of the filters that match (MQTT-3.3.4-3, -4, -5). */
  identifiersFor(topic: string): number[] {
    const found: number[] = []
    for (const { identifier, filter } of this.subscriptions.values()) {
      if (identifier > 0 && matches(filter, topic)) found.push(identifier)
    }
    return found
  }

  async subscriptionsChanged(): Promise<void> {
    if (this.durable) await this.deps.store.saveSubscriptions(this.device.num, [...this.subscriptions.values()])
  }

  // ── inbound QoS 2 ──

  /** True when this packet id is new and now under way; false when the publish is a repetition. */
  beginInbound(packetId: number): boolean {
    if (this.inbound.has(packetId)) return false
    this.inbound.set(packetId, COMMITTING)
    return true
  }

  /** For a repetition: true when its PUBREC can go at once, false when the first one's will. */
  isReceived(packetId: number): boolean {
    return this.inbound.get(packetId) !== COMMITTING
  }

  received(packetId: number): void {
    if (this.inbound.has(packetId)) this.inbound.set(packetId, RECEIVED)
  }

  /**
   * PUBREL, or a PUBREC that refuses: forgets the packet id, durably, then calls `done`. When it cannot be forgotten it
   * stays remembered and `failed` is called: the client asks again on its next connection.
   */
  release(packetId: number, done: () => void, failed: () => void = () => {}): void {
    const state = this.inbound.get(packetId)
    if (state === COMMITTING) throw protocolError('PUBREL before PUBREC')
    if (state === RELEASING) return
    if (state === undefined || !this.durable) {
      this.inbound.delete(packetId)
      done()
      return
    }
    this.inbound.set(packetId, RELEASING)
    const inbound = this.inbound
    inBackground(
      'releasing a packet id',
      this.deps.store.releaseInbound(this.device.num, packetId).then(
        () => {
          inbound.delete(packetId)
          done()
        },
        (error: Error) => {
          inbound.set(packetId, RECEIVED)
          this.deps.log.warn({ err: error, device: this.device.num }, 'QoS 2 packet id could not be released')
          failed()
        },
      ),
    )
  }

  // ── outbound ──

  /** Sends now or says why not; never keeps a message that has no packet id. */
  send(message: Message): SendResult {
    const connection = this.connection
    if (connection === null) return 'away'
    if (connection.isBackedUp) return 'full'
    if (!connection.canCarry(message)) {
      message.onRefused?.(Reason.packetTooLarge)
      return 'sent'
    }
    if (message.qos === 0) {
      connection.sendPublish(message, 0, false)
      return 'sent'
    }
    if (this.isFull(connection)) return 'full'
    const entry: Outbound = { packetId: this.nextPacketId(), message, phase: 'ready', dup: false }
    this.outbound.set(entry.packetId, entry)
    if (this.durable) this.storeOutbound(entry)
    else this.pump()
    return 'confirmed_later'
  }

  /** Sends, or keeps for later as far as the bounds allow. For general brokers only. */
  offer(message: Message): void {
    if (this.queue.length === 0) {
      const result = this.send(message)
      if (result === 'sent' || result === 'confirmed_later') return
    }
    if (this.connection === null && (!this.durable || message.qos === 0)) return
    if (this.queue.length < this.deps.limits.maxQueued) this.queue.push(message)
  }

  /** PUBACK. Throws Fault when it does not fit what was sent. */
  puback(packetId: number, reason: number): void {
    const entry = this.outbound.get(packetId)
    if (!entry) return
    if (entry.message.qos !== 1 || entry.phase !== 'written') throw protocolError('PUBACK out of turn')
    if (reason >= Reason.unspecified) entry.message.onRefused?.(reason)
    this.complete(entry, reason < Reason.unspecified)
  }

  /** PUBREC. The phase is stored before PUBREL goes: a client that released its id must not get the message again. */
  pubrec(packetId: number, reason: number): void {
    const entry = this.outbound.get(packetId)
    if (!entry) {
      if (reason < Reason.unspecified) this.connection?.sendAck(PacketType.pubrel, packetId)
      return
    }
    if (entry.message.qos !== 2) throw protocolError('PUBREC for QoS 1')
    if (entry.phase === 'released') {
      this.connection?.sendAck(PacketType.pubrel, packetId)
      return
    }
    if (entry.phase === 'recording') return
    if (entry.phase !== 'written') throw protocolError('PUBREC out of turn')
    if (reason >= Reason.unspecified) {
      this.complete(entry, false)
      return
    }
    const connection = this.connection
    const release = (): void => {
      entry.phase = 'released'
      if (this.connection === connection) connection?.sendAck(PacketType.pubrel, packetId)
    }
    if (!this.durable) {
      release()
      return
    }
    entry.phase = 'recording'
    inBackground(
      'recording PUBREC',
      this.deps.store.releaseOutbound(this.device.num, packetId).then(release, (error: Error) => {
        entry.phase = 'written'
        this.deps.log.warn({ err: error, device: this.device.num }, 'PUBREC could not be recorded')
        // Only a new connection makes the client tell again.
        if (this.connection === connection) connection?.end(Reason.serverBusy, 'connection_lost')
      }),
    )
  }

  pubcomp(packetId: number): void {
    const entry = this.outbound.get(packetId)
    if (!entry) return
    if (entry.phase !== 'released') throw protocolError('PUBCOMP out of turn')
    this.complete(entry, true)
  }

  private isFull(connection: Connection): boolean {
    return this.outbound.size >= Math.min(this.window ?? this.deps.limits.outboundWindow, connection.receiveMaximum)
  }

  private complete(entry: Outbound, delivered: boolean): void {
    const wasFull = this.connection !== null && this.isFull(this.connection)
    this.outbound.delete(entry.packetId)
    if (this.inFlight > 0) this.inFlight--
    if (this.durable) {
      this.deps.store.removeOutbound(this.device.num, entry.packetId).catch((error: Error) => {
        this.deps.log.warn({ err: error, device: this.device.num }, 'delivered message could not be removed')
      })
    }
    if (delivered) {
      if (entry.message.onDelivered) entry.message.onDelivered()
      else this.deps.host.delivered(this, entry.message.tag)
    }
    this.pump()
    this.drainQueue()
    if (wasFull) this.deps.host.ready(this)
  }

  private storeOutbound(entry: Outbound): void {
    entry.phase = 'storing'
    const { message, packetId } = entry
    const row: StoredOutbound = {
      packetId,
      tag: message.tag,
      qos: message.qos,
      released: false,
      suffix: storedTopic(this.prefix, message.topic),
      payload: message.payload,
      properties: message.properties,
    }
    const outbound = this.outbound
    inBackground(
      'storing a message to a device',
      this.deps.store.addOutbound(this.device.num, row).then(
        () => {
          entry.phase = 'ready'
          if (this.outbound === outbound) this.pump()
        },
        (error: Error) => {
          outbound.delete(packetId)
          this.deps.log.warn({ err: error, device: this.device.num }, 'message could not be stored, not sent')
        },
      ),
    )
  }

  private outboundOf(row: StoredOutbound): Outbound {
    return {
      packetId: row.packetId,
      phase: row.released ? 'released' : 'ready',
      dup: true,
      message: {
        topic: topicOf(this.prefix, row.suffix),
        payload: row.payload,
        qos: row.qos,
        retain: false,
        properties: row.properties,
        expiresAt: 0,
        tag: row.tag,
        onDelivered: null,
      },
    }
  }

  /** Writes what is ready, as far as the client's Receive Maximum allows. */
  private pump(): void {
    const connection = this.connection
    if (connection === null) return
    for (const entry of this.outbound.values()) {
      if (this.inFlight >= connection.receiveMaximum) return
      if (entry.phase !== 'ready') continue
      entry.phase = 'written'
      this.inFlight++
      // MQTT-3.1.2-25: what the client cannot take counts as sent
      if (!connection.canCarry(entry.message)) {
        this.complete(entry, false)
        return
      }
      connection.sendPublish(entry.message, entry.packetId, entry.dup)
    }
  }

  private drainQueue(): void {
    while (this.queue.length > 0) {
      const message = this.queue[0] as Message
      if (message.expiresAt > 0 && message.expiresAt <= this.deps.now()) {
        this.queue.shift()
        continue
      }
      const result = this.send(message)
      if (result === 'away' || result === 'full') return
      this.queue.shift()
    }
  }

  private nextPacketId(): number {
    do {
      this.lastPacketId = this.lastPacketId === 0xffff ? 1 : this.lastPacketId + 1
    } while (this.outbound.has(this.lastPacketId))
    return this.lastPacketId
  }
}

/** A topic of another tree than the device's own is stored whole, behind a mark that no own topic begins with. */
function storedTopic(prefix: string, topic: string): string {
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : `//${topic}`
}

function topicOf(prefix: string, stored: string): string {
  return stored.startsWith('//') ? stored.slice(2) : prefix + stored
}
