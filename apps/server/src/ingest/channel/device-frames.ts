/**
 * How devices' HTTP requests cross from the API process to the gateway: many requests over one connection, each a frame,
 * those of one turn of the loop in one write. A second HTTP hop would cost more than everything else a message needs.
 *
 * frame = length u32 (of what follows) · type u8 · id u32 · content
 */

/** Name of the protocol in the upgrade request that opens the channel. */
export const DEVICE_FRAMES = 'thingwright-device-frames'

/** A device's request, body and all. */
export interface DeviceCall {
  method: string
  /** Path and query as sent. */
  url: string
  authorization: string
  language: string
  contentType: string
  contentEncoding: string
  httpVersion: string
  /** Peer as "ip:port". */
  address: string
  /** At most one byte more than a message may have. */
  body: Buffer
}

/** The answer; always JSON. */
export interface DeviceAnswer {
  status: number
  /** Seconds; 0 = none. */
  retryAfter: number
  body: string
}

export type DeviceFrame =
  | { type: 'call'; id: number; call: DeviceCall }
  /** The asker no longer waits for the answer. */
  | { type: 'gone'; id: number }
  | { type: 'answer'; id: number; answer: DeviceAnswer }

const CALL = 1
const GONE = 2
const ANSWER = 3
const HEAD = 9
/** Longest frame: a body, and heads bounded by the front door's header limit. */
const MAX_FRAME = 64 * 1024 + 80 * 1024
const TEXTS = 8

/** Header values and paths contain no line feed, so one separates them; latin1 keeps their bytes as they came. */
export function encodeCall(id: number, call: DeviceCall): Buffer {
  const head = `${call.method}\n${call.url}\n${call.authorization}\n${call.language}\n${call.contentType}\n${call.contentEncoding}\n${call.httpVersion}\n${call.address}`
  const frame = begin(CALL, id, 4 + head.length + call.body.length)
  frame.writeUInt32BE(head.length, HEAD)
  frame.write(head, HEAD + 4, 'latin1')
  frame.set(call.body, HEAD + 4 + head.length)
  return frame
}

export function encodeGone(id: number): Buffer {
  return begin(GONE, id, 0)
}

export function encodeAnswer(id: number, { status, retryAfter, body }: DeviceAnswer): Buffer {
  const frame = begin(ANSWER, id, 4 + Buffer.byteLength(body))
  frame.writeUInt16BE(status, HEAD)
  frame.writeUInt16BE(retryAfter, HEAD + 2)
  frame.write(body, HEAD + 4, 'utf8')
  return frame
}

function begin(type: number, id: number, length: number): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + length)
  frame.writeUInt32BE(HEAD - 4 + length, 0)
  frame[4] = type
  frame.writeUInt32BE(id, 5)
  return frame
}

/** Cuts a stream into frames. A frame's body is part of the chunk it came in. */
export class FrameReader {
  private rest: Buffer | null = null

  constructor(private readonly onFrame: (frame: DeviceFrame) => void) {}

  /** @throws when the bytes are no frames */
  push(chunk: Buffer): void {
    const buffer = this.rest ? Buffer.concat([this.rest, chunk]) : chunk
    let at = 0
    while (buffer.length - at >= 4) {
      const length = buffer.readUInt32BE(at)
      if (length < HEAD - 4 || length > MAX_FRAME) throw new Error('not a frame of a device request')
      if (buffer.length - at - 4 < length) break
      this.onFrame(decode(buffer.subarray(at + 4, at + 4 + length)))
      at += 4 + length
    }
    this.rest = at < buffer.length ? buffer.subarray(at) : null
  }
}

function decode(frame: Buffer): DeviceFrame {
  const id = frame.readUInt32BE(1)
  const content = frame.subarray(HEAD - 4)
  if (frame[0] === GONE) return { type: 'gone', id }
  if (frame[0] === ANSWER) {
    const answer = {
      status: content.readUInt16BE(0),
      retryAfter: content.readUInt16BE(2),
      body: content.toString('utf8', 4),
    }
    return { type: 'answer', id, answer }
  }
  if (frame[0] !== CALL) throw new Error('unknown kind of frame')
  const end = 4 + content.readUInt32BE(0)
  const texts = content.toString('latin1', 4, end).split('\n')
  if (texts.length !== TEXTS) throw new Error('damaged frame of a device request')
  const [method, url, authorization, language, contentType, contentEncoding, httpVersion, address] = texts as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const body = content.subarray(end)
  return {
    type: 'call',
    id,
    call: { method, url, authorization, language, contentType, contentEncoding, httpVersion, address, body },
  }
}

/** Collects frames and writes those of one turn of the loop together. */
export class FrameWriter {
  private frames: Buffer[] = []
  private bytes = 0

  constructor(
    private readonly socket: {
      write(bytes: Buffer): boolean
      readonly writableLength: number
      readonly destroyed: boolean
    },
  ) {}

  /** Bytes that wait to be read by the other side. */
  get waiting(): number {
    return this.bytes + this.socket.writableLength
  }

  add(frame: Buffer): void {
    if (this.frames.length === 0) setImmediate(() => this.flush())
    this.frames.push(frame)
    this.bytes += frame.length
  }

  flush(): void {
    const { frames, bytes } = this
    this.frames = []
    this.bytes = 0
    if (frames.length > 0 && !this.socket.destroyed)
      this.socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames, bytes))
  }
}
