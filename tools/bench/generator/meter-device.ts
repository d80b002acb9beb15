import { connect, type Socket } from 'node:net'
import { AckReader } from './acks.ts'
import { connectPacket, SmartMeterPublish } from './packets.ts'

export interface MeterIdentity {
  clientId: string
  /** Empty: the broker asks for none. */
  username: string
  password: string
  topic: string
}

export interface DeviceEvents {
  /** A message was acknowledged. @param dueAt when it should have been sent, ms of performance.now() */
  acked(dueAt: number): void
  unexpected(what: string): void
}

const KEEP_ALIVE_SECONDS = 1200
/** One buffer for the reads of all connections: what was read is used before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

/** One simulated meter on a raw socket: as little work per message as Node allows, because it shares the CPUs. */
export class MeterDevice {
  sent = 0
  acked = 0
  private socket: Socket | null = null
  private readonly publish: SmartMeterPublish
  private readonly reader: AckReader
  private opened: ((problem: string | null) => void) | null = null
  private closing = false
  /** Due times of the messages not yet acknowledged, as a ring. */
  private due = new Float64Array(16)

  constructor(
    private readonly identity: MeterIdentity,
    private readonly qos: 0 | 1,
    private readonly events: DeviceEvents,
  ) {
    this.publish = new SmartMeterPublish(identity.topic, qos)
    this.reader = new AckReader(
      id => this.onAck(id),
      (first, body) => this.onOther(first, body),
    )
  }

  /** @throws when the server refuses, or closes the connection */
  open(port: number, localAddress: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.opened = problem => {
        this.opened = null
        if (problem === null) resolve()
        else reject(new Error(`${this.identity.clientId}: ${problem}`))
      }
      const socket = connect({
        host: '127.0.0.1',
        port,
        localAddress,
        noDelay: true,
        onread: {
          buffer: readBuffer,
          callback: (size, buffer) => {
            this.reader.read(Buffer.from(buffer.buffer, buffer.byteOffset, size))
            return true
          },
        },
      })
      this.socket = socket
      socket.on('error', error => this.lost(error.message))
      socket.on('close', () => this.lost('closed'))
      const { clientId, username, password } = this.identity
      socket.write(connectPacket(clientId, username, password, KEEP_ALIVE_SECONDS))
    })
  }

  /** Sends the next message, whether the last one was acknowledged or not. @param dueAt when it should leave */
  send(dueAt: number, tsMs: number): void {
    const { socket } = this
    if (!socket) return
    if (this.qos === 1) {
      if (this.sent - this.acked === this.due.length) this.growRing()
      this.due[this.sent % this.due.length] = dueAt
    }
    socket.write(this.publish.bytes((this.sent % 65_535) + 1, tsMs, this.sent))
    this.sent++
  }

  close(): void {
    this.closing = true
    this.socket?.destroy()
    this.socket = null
  }

  private onAck(packetId: number): void {
    if (packetId !== (this.acked % 65_535) + 1) this.events.unexpected('an acknowledgement out of order')
    const dueAt = this.due[this.acked % this.due.length]!
    this.acked++
    this.events.acked(dueAt)
  }

  private onOther(first: number, body: Buffer): void {
    if (first >> 4 !== 2) this.events.unexpected(`packet type ${first >> 4}`)
    else this.opened?.(body[1] === 0 ? null : `CONNACK ${body[1]}`)
  }

  private lost(why: string): void {
    this.opened?.(why)
    if (this.socket && !this.closing) this.events.unexpected(`connection ${why}`)
    this.socket = null
  }

  private growRing(): void {
    const larger = new Float64Array(this.due.length * 2)
    for (let i = this.acked; i < this.sent; i++) larger[i % larger.length] = this.due[i % this.due.length]!
    this.due = larger
  }
}
