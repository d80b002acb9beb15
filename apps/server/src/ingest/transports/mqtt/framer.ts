import { malformed, PacketType, protocolError, TooLarge } from './protocol.ts'

/** What the first byte of a packet from a client may be; 0 = refused as malformed, 2 = refused as a protocol error. */
const FIRST_BYTE = new Uint8Array(256)
const ALLOWED = 1
const NOT_FROM_CLIENT = 2
for (const type of [PacketType.connack, PacketType.suback, PacketType.unsuback, PacketType.pingresp, PacketType.auth]) {
  FIRST_BYTE.fill(NOT_FROM_CLIENT, type << 4, (type << 4) + 16)
}
FIRST_BYTE.fill(NOT_FROM_CLIENT, 0, 16)
// CONNECT's flags are judged when its protocol level is known: MQTT 3.1 allowed some.
FIRST_BYTE.fill(ALLOWED, PacketType.connect << 4, (PacketType.connect << 4) + 16)
for (let flags = 0; flags < 16; flags++) {
  const qos = (flags >> 1) & 3
  const dup = flags >> 3
  // QoS 3 and DUP on QoS 0 do not exist (MQTT-3.3.1-2, -4)
  if (qos < 3 && !(qos === 0 && dup)) FIRST_BYTE[(PacketType.publish << 4) | flags] = ALLOWED
}
for (const byte of [0x40, 0x50, 0x62, 0x70, 0x82, 0xa2, 0xc0, 0xe0]) FIRST_BYTE[byte] = ALLOWED

/** Receives one whole packet: its first byte, and its body in [start, end) of the buffer. */
export type OnPacket = (firstByte: number, buffer: Buffer, start: number, end: number) => void

/**
 * Cuts a byte stream into packets without copying, as long as packets lie whole in one chunk. A packet that is too
 * long or cannot be one is refused by its header, before its body arrives.
 */
export class Framer {
  /** Longest packet, header included. */
  limit: number
  /** MQTT 5.0 wants the length in its shortest form; before it nobody said so. */
  shortestForm = false
  private buffer: Buffer | null = null
  private at = 0
  private chunks: Buffer[] = []
  private chunkBytes = 0
  private wanted = 0
  private stopped = false
  private running = false

  constructor(
    limit: number,
    private readonly onPacket: OnPacket,
  ) {
    this.limit = limit
  }

  /** Bytes received but not yet given out. */
  get held(): number {
    return (this.buffer ? this.buffer.length - this.at : 0) + this.chunkBytes
  }

  /** Takes what arrived; gives out every packet that is complete. Throws Fault. */
  push(chunk: Buffer): void {
    if (this.buffer === null && !this.stopped) {
      this.buffer = chunk
      this.at = 0
      this.run()
      return
    }
    this.chunks.push(chunk)
    this.chunkBytes += chunk.length
    if (!this.stopped && this.held >= this.wanted) {
      this.join()
      this.run()
    }
  }

  /** No packet is given out until `resume`; what arrives meanwhile is kept. */
  stop(): void {
    this.stopped = true
  }

  /** Goes on after `stop`. Throws Fault. */
  resume(): void {
    this.stopped = false
    if (this.running) return
    if (this.chunks.length > 0) this.join()
    if (this.buffer) this.run()
  }

  /** Lets go of everything received. */
  clear(): void {
    this.stopped = true
    this.buffer = null
    this.chunks = []
    this.chunkBytes = 0
  }

  private join(): void {
    this.buffer = this.buffer
      ? Buffer.concat([this.buffer.subarray(this.at), ...this.chunks], this.held)
      : Buffer.concat(this.chunks, this.chunkBytes)
    this.at = 0
    this.chunks = []
    this.chunkBytes = 0
  }

  private run(): void {
    this.running = true
    try {
      while (!this.stopped && this.buffer !== null) {
        const buffer = this.buffer
        const available = buffer.length - this.at
        if (available === 0) {
          this.buffer = null
          return
        }
        const firstByte = buffer[this.at] as number
        const judgement = FIRST_BYTE[firstByte]
        if (judgement !== ALLOWED) {
          throw judgement === NOT_FROM_CLIENT
            ? protocolError('packet type not sent by clients')
            : malformed('bad flags in the first byte')
        }
        let length = 0
        let size = 1
        for (;;) {
          if (size >= available) {
            this.wanted = size + 1
            return
          }
          const byte = buffer[this.at + size] as number
          length |= (byte & 0x7f) << (7 * (size - 1))
          size++
          if (byte < 0x80) {
            if (byte === 0 && size > 2 && this.shortestForm) throw malformed('length not in its shortest form')
            break
          }
          if (size === 5) throw malformed('length of more than four bytes')
        }
        if (size + length > this.limit) throw new TooLarge(size + length, this.limit)
        if (available < size + length) {
          this.wanted = size + length
          return
        }
        const start = this.at + size
        this.at = start + length
        this.onPacket(firstByte, buffer, start, start + length)
      }
    } finally {
      this.running = false
    }
  }
}
