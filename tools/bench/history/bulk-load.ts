import { connect, type Socket } from 'node:net'
import { AckReader } from '../generator/acks.ts'
import type { MeterIdentity } from '../generator/meter-device.ts'
import { connectPacket, publishPacket } from '../generator/packets.ts'

export interface BulkPlan {
  /** Readings of one device, evenly over the time from `from` to `to` (epoch ms). */
  perDevice: number
  from: number
  to: number
  /** Readings in one publish. */
  perPublish: number
}

/** Publishes of one device that may wait for their acknowledgement. */
const WINDOW = 2
/** Devices that send at the same time, so that neighbours in the journal belong to different devices. */
const AT_ONCE = 200

/**
 * Posts the past of many devices through the front door, as arrays with times: the devices take turns, each a few
 * readings at a time, as they would lie in the journal had they come one by one.
 */
export async function bulkLoad(
  port: number,
  devices: readonly MeterIdentity[],
  plan: BulkPlan,
  onProgress: (share: number) => void,
): Promise<void> {
  const posts = Math.ceil(plan.perDevice / plan.perPublish)
  let done = 0
  for (let from = 0; from < devices.length; from += AT_ONCE) {
    const group = devices.slice(from, from + AT_ONCE).map((identity, i) => new BulkDevice(identity, from + i, plan))
    await Promise.all(group.map(device => device.open(port)))
    for (let post = 0; post < posts; post++) {
      await Promise.all(group.map(device => device.post(post)))
      done += group.length
    }
    await Promise.all(group.map(device => device.finish()))
    onProgress(done / (posts * devices.length))
  }
}

class BulkDevice {
  private socket: Socket | null = null
  private opened: ((problem: string | null) => void) | null = null
  private underWay = 0
  private waiting: (() => void)[] = []
  private failure: Error | null = null
  private readonly reader = new AckReader(
    () => this.acked(),
    (first, body) => first >> 4 === 2 && this.opened?.(body[1] === 0 ? null : `CONNACK ${body[1]}`),
  )

  constructor(
    private readonly identity: MeterIdentity,
    private readonly index: number,
    private readonly plan: BulkPlan,
  ) {}

  async open(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.opened = problem => {
        this.opened = null
        if (problem === null) resolve()
        else reject(new Error(`${this.identity.clientId}: ${problem}`))
      }
      const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2', noDelay: true })
      this.socket = socket
      socket.on('data', (chunk: Buffer) => this.reader.read(chunk))
      socket.on('error', error => this.lost(error.message))
      socket.on('close', () => this.lost('connection closed'))
      const { clientId, username, password } = this.identity
      socket.write(connectPacket(clientId, username, password, 1200))
    })
  }

  /** Sends the next readings as soon as the window has room. */
  async post(number: number): Promise<void> {
    while (this.underWay >= WINDOW && !this.failure) await this.nextAck()
    if (this.failure) throw this.failure
    const { perDevice, perPublish } = this.plan
    const first = number * perPublish
    const readings: string[] = []
    for (let i = first; i < Math.min(perDevice, first + perPublish); i++) readings.push(this.reading(i))
    this.underWay++
    this.socket!.write(publishPacket(this.identity.topic, (number % 65_535) + 1, `[${readings.join()}]`))
  }

  /** Waits for the last acknowledgement and leaves. */
  async finish(): Promise<void> {
    while (this.underWay > 0 && !this.failure) await this.nextAck()
    if (this.failure) throw this.failure
    const { socket } = this
    this.socket = null
    socket?.destroy()
  }

  /** A meter that counts on, loses charge slowly, and leaks now and then. */
  private reading(i: number): string {
    const { from, to, perDevice } = this.plan
    // Clocks of devices are not aligned, and no reading comes on the dot.
    const jitter = (i * 7_919 + this.index * 104_729) % 400
    const ts = Math.round(from + ((to - from) * i) / perDevice) + jitter
    const pulses = 100_000 + this.index + i * 3 + ((i * i) % 7)
    const battery = 99 - Math.floor((49 * i) / perDevice)
    const leakage = (i + this.index) % 97 === 0
    return `{"ts":${ts},"values":{"pulseCounter":${pulses},"leakage":${leakage},"batteryLevel":${battery}}}`
  }

  private acked(): void {
    this.underWay--
    this.waiting.shift()?.()
  }

  private nextAck(): Promise<void> {
    return new Promise(resolve => this.waiting.push(resolve))
  }

  private lost(why: string): void {
    this.opened?.(why)
    if (!this.socket) return
    this.failure ??= new Error(`${this.identity.clientId}: ${why}`)
    for (const wake of this.waiting.splice(0)) wake()
  }
}
