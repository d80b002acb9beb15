import mqtt, { type MqttClient } from 'mqtt'
import type { Device } from '../lib/installation.ts'

/** Messages on their way at once. */
const WINDOW = 40

/** What a device that counts knows of its numbers, for comparing it with what the platform has. */
export interface Counted {
  readonly device: Device
  /** Numbers that the platform has acknowledged. */
  readonly acknowledged: ReadonlySet<number>
  /** When the newest of those acknowledged was sent (`performance.now()`). */
  readonly servedUntil: number
  /** How often history may hold a number: once, or as often as it was sent where the way in promises no more. */
  atMost(n: number): number
  /** Sends nothing new and waits until everything sent is acknowledged. */
  settle(): Promise<void>
  close(): Promise<void>
}

/**
 * A device that counts: every message carries the next number, at QoS 1 or 2, and it notes which numbers were
 * acknowledged. It reconnects by itself and sends again what was not acknowledged, as the standard demands.
 */
export class CountingDevice implements Counted {
  readonly acknowledged = new Set<number>()
  servedUntil = 0
  /** When those that are on their way left, the last time. */
  private readonly left = new Map<number, number>()
  /** How often each number left. */
  private readonly sends = new Map<number, number>()
  private readonly client: MqttClient
  private next = 0
  private inFlight = 0
  private running = true
  private readonly idle: (() => void)[] = []
  private readonly base = Date.now() - 3_600_000

  constructor(
    readonly device: Device,
    readonly qos: 1 | 2,
    mqttPort: number,
    version: 4 | 5,
    /** Whether its messages say when they were made; without, the time of arrival counts. */
    readonly givesTimes = true,
    /** Rest of each place in the window after an acknowledgement; none: as fast as it goes. */
    private readonly pauseMs = 0,
  ) {
    this.client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
      username: `${device.productKey}/${device.deviceNo}`,
      password: device.secret,
      clientId: device.deviceNo,
      protocolVersion: version,
      clean: false,
      ...(version === 5 ? { properties: { sessionExpiryInterval: 3600 } } : {}),
      reconnectPeriod: 200,
      // A server whose database is just coming back says "unavailable"; without this the client would never ask again.
      reconnectOnConnackError: true,
      // Only a kill ends the connection, not a machine that is busy for a while.
      connectTimeout: 30_000,
      keepalive: 60,
    })
    this.client.on('error', () => {})
    this.client.on('connect', () => this.fill())
    this.client.on('packetsend', packet => {
      if (packet.cmd !== 'publish') return
      const n = numberIn(packet.payload)
      this.sends.set(n, (this.sends.get(n) ?? 0) + 1)
      this.left.set(n, performance.now())
    })
  }

  atMost(n: number): number {
    return this.qos === 2 || this.givesTimes ? 1 : (this.sends.get(n) ?? 0)
  }

  get sent(): number {
    return this.next
  }

  private fill(atMost = WINDOW): void {
    for (let i = 0; i < atMost && this.running && this.inFlight < WINDOW; i++) this.publish(this.next++)
  }

  private publish(n: number): void {
    this.inFlight += 1
    const payload = JSON.stringify(this.givesTimes ? { ts: this.base + n, values: { n } } : { n })
    this.client.publish(
      `things/${this.device.productKey}/${this.device.deviceNo}/property/post`,
      payload,
      { qos: this.qos },
      error => {
        this.inFlight -= 1
        if (!error) {
          this.acknowledged.add(n)
          this.servedUntil = Math.max(this.servedUntil, this.left.get(n) ?? 0)
          this.left.delete(n)
        }
        if (this.running && this.pauseMs > 0) setTimeout(() => this.fill(1), this.pauseMs)
        else if (this.running) setImmediate(() => this.fill())
        else if (this.inFlight === 0) for (const done of this.idle.splice(0)) done()
      },
    )
  }

  /** Sends nothing new and waits until everything sent is acknowledged. */
  async settle(): Promise<void> {
    this.running = false
    if (this.inFlight > 0) await new Promise<void>(resolve => this.idle.push(resolve))
  }

  async close(): Promise<void> {
    await this.client.endAsync(true)
  }
}

function numberIn(payload: string | Buffer): number {
  const message = JSON.parse(payload.toString()) as { n: number } | { values: { n: number } }
  return 'values' in message ? message.values.n : message.n
}
