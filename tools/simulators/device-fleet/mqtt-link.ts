import { connect, type Socket } from 'node:net'
import { reconnectDelay } from '@thingwright/device-sdk/backoff'
import {
  DISCONNECT,
  encodeConnect,
  encodePuback,
  encodePublish,
  encodeSubscribe,
  type Incoming,
  MqttReader,
  type MqttVersion,
  PINGREQ,
} from './mqtt-codec.ts'

export interface LinkOptions {
  host: string
  port: number
  username: string
  password: string
  clientId: string
  protocolVersion: MqttVersion
  keepAliveSeconds: number
  /** Subscribed at QoS 1 as soon as the session is up. */
  filter: string
  random: () => number
  now: () => number
}

export interface LinkHandlers {
  /** Session up and subscribed. */
  ready(): void
  message(topic: string, payload: Buffer): void
  /** The server does not accept the credentials (CONNACK code). */
  refused(code: number): void
}

/** Called once per publish, when the server has it: `accepted` is false when it took note of it but refused it. */
export type Acknowledged = (accepted: boolean, latencyMs: number) => void

interface Pending {
  topic: string
  payload: string
  sentAt: number
  acknowledged: Acknowledged
}

/** More than this is not sent at once; a device that is further behind loses its newest readings. */
const MAX_IN_FLIGHT = 16
const CONNECT_TIMEOUT_MS = 10_000
const PING_TIMEOUT_MS = 10_000

/**
 * One MQTT session on a bare socket: QoS 1 out, QoS 0 and 1 in, reconnecting for ever with jitter. It owns no timer:
 * `tick` is called a few times a second, so that thousands of links cost one timer. What was not acknowledged when the
 * connection broke is sent again after the next sign-in.
 */
export class MqttLink {
  readonly #options: LinkOptions
  readonly #handlers: LinkHandlers
  readonly #pending = new Map<number, Pending>()
  #socket: Socket | null = null
  #state: 'idle' | 'connecting' | 'subscribing' | 'ready' | 'stopped' = 'idle'
  #attempt = 0
  #nextAttemptAt: number
  #refused = false
  #connectingSince = 0
  #lastSentAt = 0
  #pingSentAt = 0
  #nextId = 1
  #window = MAX_IN_FLIGHT

  /** @param firstAttemptAt when to connect for the first time; spreads a fleet over its start */
  constructor(options: LinkOptions, handlers: LinkHandlers, firstAttemptAt: number) {
    this.#options = options
    this.#handlers = handlers
    this.#nextAttemptAt = firstAttemptAt
  }

  get ready(): boolean {
    return this.#state === 'ready'
  }

  get inFlight(): number {
    return this.#pending.size
  }

  /** Publishes at QoS 1. False when the session is down or its window is full; nothing is kept then. */
  publish(topic: string, payload: string, acknowledged: Acknowledged): boolean {
    if (this.#state !== 'ready' || this.#pending.size >= this.#window) return false
    while (this.#pending.has(this.#nextId)) this.#nextId = (this.#nextId % 65_535) + 1
    const id = this.#nextId
    this.#nextId = (id % 65_535) + 1
    const pending = { topic, payload, sentAt: this.#options.now(), acknowledged }
    this.#pending.set(id, pending)
    this.#sendPublish(id, pending)
    return true
  }

  /** Does what is due: connect, ping, give up on a silent server. */
  tick(now: number): void {
    switch (this.#state) {
      case 'idle':
        if (now >= this.#nextAttemptAt) this.#connect(now)
        break
      case 'connecting':
      case 'subscribing':
        if (now - this.#connectingSince > CONNECT_TIMEOUT_MS) this.#dropped()
        break
      case 'ready':
        if (this.#pingSentAt > 0 && now - this.#pingSentAt > PING_TIMEOUT_MS) this.#dropped()
        else if (this.#pingSentAt === 0 && now - this.#lastSentAt > this.#options.keepAliveSeconds * 500) {
          this.#pingSentAt = now
          this.#send(PINGREQ)
        }
        break
      default:
    }
  }

  /** Gone without a goodbye and with everything it remembered, as by a reset; back after so long. */
  cut(downMs: number): void {
    this.#pending.clear()
    this.lose(this.#options.now() + downMs)
  }

  /** The connection is lost; it is tried again from then on (epoch ms), with what was not acknowledged. */
  lose(until: number): void {
    if (this.#state === 'stopped') return
    this.#attempt = 0
    this.#dropped()
    this.#nextAttemptAt = until
  }

  /** Says goodbye and closes; resolves when the socket is gone. */
  async stop(): Promise<void> {
    const socket = this.#socket
    const up = this.#state === 'ready'
    this.#state = 'stopped'
    if (!socket || socket.destroyed) return
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
    if (up) {
      this.#send(DISCONNECT)
      socket.end()
      // The server closes after a goodbye; not for ever, though.
      socket.setTimeout(1_000, () => socket.destroy())
    } else socket.destroy()
    await closed
  }

  #connect(now: number): void {
    const { host, port, clientId, username, password, protocolVersion, keepAliveSeconds } = this.#options
    this.#state = 'connecting'
    this.#connectingSince = now
    const socket = connect({ host, port, noDelay: true })
    this.#socket = socket
    const reader = new MqttReader(protocolVersion)
    socket.on('data', data => {
      try {
        for (const packet of reader.read(data)) this.#received(packet)
      } catch {
        socket.destroy() // no MQTT
      }
    })
    socket.on('error', () => {
      // 'close' follows and does what is needed.
    })
    socket.on('close', () => {
      if (this.#socket === socket) this.#dropped()
    })
    socket.on('connect', () => {
      this.#send(encodeConnect({ version: protocolVersion, clientId, username, password, keepAliveSeconds }))
    })
  }

  /** The connection is gone or is given up: another try after a pause. */
  #dropped(): void {
    this.#socket?.destroy()
    this.#socket = null
    this.#pingSentAt = 0
    if (this.#state === 'stopped') return
    this.#state = 'idle'
    this.#nextAttemptAt = this.#options.now() + reconnectDelay(this.#attempt, this.#refused, this.#options.random)
    this.#attempt++
  }

  #received(packet: Incoming): void {
    switch (packet.type) {
      case 'connack':
        this.#connackReceived(packet.code, packet.receiveMaximum)
        break
      case 'suback':
        this.#sessionUp()
        break
      case 'puback':
        this.#pubackReceived(packet.id, packet.code)
        break
      case 'pingresp':
        this.#pingSentAt = 0
        break
      case 'publish':
        if (packet.qos > 0) this.#send(encodePuback(packet.id))
        this.#handlers.message(packet.topic, packet.payload)
        break
      case 'disconnect':
        this.#socket?.destroy()
    }
  }

  #connackReceived(code: number, receiveMaximum: number): void {
    if (code !== 0) {
      // Bad credentials and "not authorised": 4, 5 (3.1.1) and 0x86, 0x87 (5.0).
      this.#refused = [4, 5, 0x86, 0x87].includes(code)
      this.#handlers.refused(code)
      this.#socket?.destroy()
      return
    }
    this.#refused = false
    this.#window = Math.min(MAX_IN_FLIGHT, receiveMaximum)
    this.#state = 'subscribing'
    this.#send(encodeSubscribe(this.#options.protocolVersion, this.#unusedId(), this.#options.filter))
  }

  /** An id for the subscription that no waiting publish has. */
  #unusedId(): number {
    let id = this.#nextId
    while (this.#pending.has(id)) id = (id % 65_535) + 1
    return id
  }

  #sessionUp(): void {
    this.#state = 'ready'
    this.#attempt = 0
    for (const [id, pending] of this.#pending) this.#sendPublish(id, pending)
    this.#handlers.ready()
  }

  #pubackReceived(id: number, code: number): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    pending.acknowledged(code < 0x80, this.#options.now() - pending.sentAt)
  }

  #sendPublish(id: number, { topic, payload }: Pending): void {
    this.#send(encodePublish(this.#options.protocolVersion, id, topic, payload))
  }

  #send(packet: Buffer): void {
    if (!this.#socket || this.#socket.destroyed) return
    this.#lastSentAt = this.#options.now()
    this.#socket.write(packet)
  }
}
