import { createHash, type Hash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { MeterIdentity } from '../generator/meter-device.ts'
import { connectPacket, publishPacket } from '../generator/packets.ts'
import type { Manner } from './messages.ts'

interface Notice {
  id: string
  version: string
  size: number
  sha256: string
}

const PINGREQ = Buffer.from([0xc0, 0])

/** One device on a bare socket: takes a notice, fetches the package in chunks, checks its hash, reports the new version. */
export class Downloader {
  manner: Manner = { length: 4_096, count: 1, window: 1 }
  startedAt = 0
  finishedAt = 0
  bytes = 0
  wrong = false
  refused = 0
  private socket: Socket | null = null
  private rest: Buffer = Buffer.alloc(0)
  private notice: Notice | null = null
  private hash: Hash = createHash('sha256')
  private asked = 0
  private packetId = 1
  private prefix = ''
  private up: (() => void) | null = null

  constructor(
    private readonly identity: MeterIdentity,
    private readonly finished: () => void,
  ) {
    this.prefix = identity.topic.replace(/property\/post$/, '')
  }

  /** Resolves when it is signed in, has subscribed and has said what it runs. */
  connect(port: number, version: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const { clientId, username, password } = this.identity
      const socket = connect({ host: '127.0.0.1', port, noDelay: true })
      this.socket = socket
      this.up = () => {
        this.publish('ota/inform', { version })
        resolve()
      }
      socket.on('error', reject)
      socket.on('data', (chunk: Buffer) => this.read(chunk))
      socket.write(connectPacket(clientId, username, password, 60))
    })
  }

  ping(): void {
    this.socket?.write(PINGREQ)
  }

  end(): void {
    this.socket?.destroy()
    this.socket = null
  }

  private read(chunk: Buffer): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    let at = 0
    for (;;) {
      let length = 0
      let shift = 0
      let body = at + 1
      let byte: number | undefined
      do {
        byte = bytes[body++]
        if (byte === undefined) break
        length |= (byte & 127) << shift
        shift += 7
      } while (byte > 127)
      if (byte === undefined || body + length > bytes.length) break
      this.packet(bytes[at]!, bytes, body, body + length)
      at = body + length
    }
    this.rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at))
  }

  private packet(first: number, bytes: Buffer, start: number, end: number): void {
    const type = first >> 4
    if (type === 2) {
      if (bytes[start + 1] !== 0) throw new Error(`sign-in refused: ${bytes[start + 1]}`)
      const filter = Buffer.from(`${this.prefix}#`)
      const head = Buffer.from([0, 1, filter.length >> 8, filter.length & 0xff])
      const content = Buffer.concat([head, filter, Buffer.from([1])])
      this.socket?.write(Buffer.concat([Buffer.from([0x82, content.length]), content]))
    } else if (type === 9) {
      this.up?.()
      this.up = null
    } else if (type === 3) this.message(first, bytes, start, end)
  }

  private message(first: number, bytes: Buffer, start: number, end: number): void {
    const topicEnd = start + 2 + bytes.readUInt16BE(start)
    const place = topicEnd - 1
    const qos = (first >> 1) & 3
    if (qos > 0) this.socket?.write(Buffer.from([0x40, 2, bytes[topicEnd]!, bytes[topicEnd + 1]!]))
    const payload = bytes.subarray(topicEnd + (qos > 0 ? 2 : 0), end)
    const topic = bytes.toString('latin1', start + 2 + this.prefix.length, topicEnd)
    // A digit at its end: bytes; else a notice or a refusal.
    const last = bytes[place]!
    if (topic.startsWith('ota/data/') && last >= 48 && last <= 57) this.chunk(topic, payload)
    else if (topic === 'ota/notify') this.begin(JSON.parse(payload.toString()) as Notice)
    else if (topic.endsWith('/refused')) this.refused++
  }

  private begin(notice: Notice): void {
    if (this.notice || !notice.id) return
    this.notice = notice
    this.startedAt = performance.now()
    this.publish('ota/progress', { id: notice.id, state: 'downloading', percent: 0 })
    for (let i = 0; i < this.manner.window; i++) this.ask()
  }

  private ask(): void {
    const { notice, manner } = this
    if (!notice || this.asked >= notice.size) return
    const { length, count } = manner
    this.publishQos0('ota/request', `{"id":"${notice.id}","offset":${this.asked},"length":${length},"count":${count}}`)
    this.asked += length * count
  }

  private chunk(topic: string, payload: Buffer): void {
    const { notice } = this
    if (!notice) return
    // One connection keeps the order: another place means that something was lost.
    if (Number(topic.slice(topic.lastIndexOf('/') + 1)) !== this.bytes) this.wrong = true
    this.hash.update(payload)
    this.bytes += payload.length
    if (this.bytes % (this.manner.length * this.manner.count) === 0) this.ask()
    if (this.bytes < notice.size) return
    this.finishedAt = performance.now()
    if (this.hash.digest('hex') !== notice.sha256) this.wrong = true
    this.publish('ota/progress', { id: notice.id, state: 'installing' })
    this.publish('ota/inform', { version: notice.version })
    this.finished()
  }

  private publish(suffix: string, body: object): void {
    this.packetId = (this.packetId % 65_535) + 1
    this.socket?.write(publishPacket(this.prefix + suffix, this.packetId, JSON.stringify(body)))
  }

  private publishQos0(suffix: string, payload: string): void {
    const topic = Buffer.from(this.prefix + suffix)
    const length = 2 + topic.length + payload.length
    const head = length < 128 ? [0x30, length] : [0x30, (length & 127) | 128, length >> 7]
    this.socket?.write(
      Buffer.concat([Buffer.from([...head, topic.length >> 8, topic.length & 0xff]), topic, Buffer.from(payload)]),
    )
  }
}
