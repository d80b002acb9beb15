import { connect, type Socket } from 'node:net'
import { Histogram } from '../bench/core/histogram.ts'
import { Site } from '../bench/core/site.ts'
import { connectPacket } from '../bench/generator/packets.ts'

/** What a storm of reconnecting devices looked like from outside. */
export interface StormReport {
  devices: number
  /** Those with a wrong secret: refused, and they go on asking. */
  wrong: number
  /** From the kill of every process until the server said it was ready, ms. */
  readyMs: number
  /** From the ready server until the last good device was connected, ms. */
  allUpMs: number
  /** Connections that were opened, refused ones and those cut off included. */
  attempts: number
  /** Of devices that got in: from their last attempt's SYN to CONNACK, ms. */
  p50: number
  p99: number
  /** Good devices that were told that their secret is wrong. */
  wronglyRefused: number
}

const KEEP_ALIVE_S = 300
const CONNACK_MS = 30_000
const WRONG_EVERY_MS = 1_000

/**
 * Every process is killed with -9 while `devices` are connected; all of them ask again at once and again, with caches as
 * cold as after a start, one in ten with a wrong secret.
 */
export async function storm(devices: number): Promise<StormReport> {
  const site = await Site.open()
  try {
    const { meters } = await site.meters(devices)
    const fleet = new Fleet(site.installation.mqttPort)
    for (const [i, { identity }] of meters.entries()) {
      const wrong = i % 10 === 9
      fleet.add(
        connectPacket(identity.clientId, identity.username, wrong ? 'wrong' : identity.password, KEEP_ALIVE_S),
        wrong,
      )
    }
    fleet.start()
    await fleet.allUp()
    fleet.reset()
    const readyMs = await site.crashAndRestart()
    const began = performance.now()
    await fleet.allUp()
    const report = {
      devices,
      wrong: fleet.wrong,
      readyMs: Math.round(readyMs),
      allUpMs: Math.round(performance.now() - began),
      attempts: fleet.attempts,
      p50: Math.round(fleet.connacks.percentile(50)),
      p99: Math.round(fleet.connacks.percentile(99)),
      wronglyRefused: fleet.wronglyRefused,
    }
    fleet.stop()
    return report
  } finally {
    await site.close()
  }
}

interface Member {
  packet: Buffer
  wrong: boolean
  up: boolean
  socket: Socket | null
}

/** Devices that want to be connected, whatever happens. */
class Fleet {
  readonly connacks = new Histogram()
  attempts = 0
  wrong = 0
  wronglyRefused = 0
  private readonly members: Member[] = []
  private up = 0
  private stopped = false
  private waiting: (() => void) | null = null

  constructor(private readonly port: number) {}

  add(packet: Buffer, wrong: boolean): void {
    this.members.push({ packet, wrong, up: false, socket: null })
    if (wrong) this.wrong++
  }

  start(): void {
    for (const member of this.members) this.ask(member)
  }

  reset(): void {
    this.connacks.reset()
    this.attempts = 0
  }

  async allUp(): Promise<void> {
    while (this.up < this.members.length - this.wrong)
      await new Promise<void>(resolve => {
        this.waiting = resolve
      })
  }

  stop(): void {
    this.stopped = true
    for (const { socket } of this.members) socket?.destroy()
  }

  private ask(member: Member): void {
    if (this.stopped) return
    this.attempts++
    const began = performance.now()
    const socket = connect(this.port, '127.0.0.1')
    member.socket = socket
    socket.setNoDelay(true)
    socket.setTimeout(CONNACK_MS, () => socket.destroy())
    socket.once('connect', () => socket.write(member.packet))
    socket.once('data', (data: Buffer) => {
      if (data[0] !== 0x20) return
      if (data[3] !== 0) {
        if (!member.wrong && data[3] === 5) this.wronglyRefused++
        return
      }
      this.connacks.record(performance.now() - began)
      socket.setTimeout(0)
      member.up = true
      this.up++
      this.waiting?.()
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      if (member.up) this.up--
      member.up = false
      // A short wait of its own for each, as devices have; a refused one is more patient.
      setTimeout(() => this.ask(member), member.wrong ? WRONG_EVERY_MS : 50 + Math.random() * 200)
    })
  }
}
