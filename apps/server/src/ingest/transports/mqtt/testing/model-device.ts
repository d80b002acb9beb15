import type { Packet } from 'mqtt-packet'
import { inBackground } from '../../../../lib/background.ts'
import { RawClient } from './raw-client.ts'

type PublishFrom = Extract<Packet, { cmd: 'publish' }>

interface Exchange {
  payload: string
  qos: 1 | 2
  released: boolean
}

/**
 * A device that keeps its side of MQTT as the standard asks: what was not acknowledged is sent again after a reconnect,
 * with DUP and the same id, in order; a QoS 2 message from the server counts once.
 */
export class ModelDevice {
  /** Exchanges under way, by packet id, in the order of the publishes. */
  readonly open = new Map<number, Exchange>()
  /** Payloads whose exchange was completed. */
  readonly acknowledged: string[] = []
  /** Messages from the server. */
  readonly received: { payload: string; qos: number }[] = []
  private readonly inbound = new Set<number>()
  private client: RawClient | null = null
  private nextId = 1
  /** Takes everything in, but nothing it says gets through any more: the link dies in one direction before the other. */
  mute = false

  constructor(
    private readonly num: number,
    private readonly version: 4 | 5,
  ) {}

  get connected(): boolean {
    return this.client !== null && !this.client.closed
  }

  /** Connects to the persistent session; `meanwhile` runs while CONNACK may still be waiting. */
  async connect(port: number, meanwhile: () => void): Promise<void> {
    const client = await RawClient.open(port, this.version)
    client.connect(
      this.num,
      this.version === 5 ? { clean: false, properties: { sessionExpiryInterval: 3600 } } : { clean: false },
    )
    meanwhile()
    await client.next('connack')
    this.client = client
    this.mute = false
    inBackground('reading what a device is sent', this.read(client))
    this.say({ cmd: 'subscribe', messageId: 65_535, subscriptions: [{ topic: `things/P1/d${this.num}/#`, qos: 2 }] })
    for (const [id, exchange] of this.open) {
      if (exchange.released) this.say({ cmd: 'pubrel', messageId: id })
      else this.sayPublish(exchange.payload, exchange.qos, id, true)
    }
  }

  drop(): void {
    this.client?.socket.resetAndDestroy()
    this.client = null
  }

  publish(payload: string, qos: 0 | 1 | 2): void {
    if (qos === 0) {
      this.sayPublish(payload, 0)
      return
    }
    while (this.open.has(this.nextId)) this.nextId = (this.nextId % 20) + 1
    const id = this.nextId
    this.nextId = (id % 20) + 1
    this.open.set(id, { payload, qos, released: false })
    this.sayPublish(payload, qos, id)
  }

  /** Sends again what is open, although nothing was lost. */
  repeat(): void {
    for (const [id, exchange] of this.open) {
      if (exchange.released) this.say({ cmd: 'pubrel', messageId: id })
      else if (exchange.qos === 2) this.sayPublish(exchange.payload, 2, id, true)
    }
  }

  /** Handles packets until the connection ends. */
  private async read(client: RawClient): Promise<void> {
    for (;;) {
      const packet = await client.next(undefined, 60_000).catch(() => null)
      if (packet === null || this.client !== client) return
      this.handle(packet)
    }
  }

  private handle(packet: Packet): void {
    const id = packet.messageId ?? 0
    const exchange = this.open.get(id)
    switch (packet.cmd) {
      case 'puback':
        if (exchange?.qos === 1) this.complete(id, exchange)
        return
      case 'pubrec':
        if (exchange?.qos === 2) exchange.released = true
        this.say({ cmd: 'pubrel', messageId: id })
        return
      case 'pubcomp':
        if (exchange?.released) this.complete(id, exchange)
        return
      case 'publish':
        this.take(packet)
        return
      case 'pubrel':
        this.inbound.delete(id)
        this.say({ cmd: 'pubcomp', messageId: id })
        return
      default:
    }
  }

  private take({ payload, qos, messageId = 0 }: PublishFrom): void {
    if (qos !== 2 || !this.inbound.has(messageId)) this.received.push({ payload: payload.toString(), qos })
    if (qos === 2) this.inbound.add(messageId)
    if (qos > 0) this.say({ cmd: qos === 1 ? 'puback' : 'pubrec', messageId })
  }

  private say(packet: Packet): void {
    if (!this.mute) this.client?.send(packet)
  }

  private sayPublish(payload: string, qos: 0 | 1 | 2, id?: number, dup = false): void {
    if (!this.mute) this.client?.publish(this.num, 'property/post', payload, qos, id, dup)
  }

  private complete(id: number, exchange: Exchange): void {
    this.open.delete(id)
    this.acknowledged.push(exchange.payload)
  }
}
