import { connect, type Socket } from 'node:net'
import {
  DEVICE_FRAMES,
  type DeviceAnswer,
  type DeviceCall,
  encodeCall,
  encodeGone,
  FrameReader,
  FrameWriter,
} from '../ingest/channel/device-frames.ts'

/** Null: the gateway went away before it answered; nothing is known about the message, and the device sends it again. */
type OnAnswer = (answer: DeviceAnswer | null) => void

const HELLO = `GET / HTTP/1.1\r\nHost: gateway\r\nConnection: Upgrade\r\nUpgrade: ${DEVICE_FRAMES}\r\n\r\n`
const END_OF_HEAD = Buffer.from('\r\n\r\n')
/** Requests are refused while this many bytes wait for a gateway that does not read. */
const MAX_WAITING = 64 * 1024 * 1024

/** One life of the connection to the gateway. */
interface Link {
  socket: Socket
  writer: FrameWriter
  open: Map<number, OnAnswer>
}

/** The one connection over which all requests of devices go to the gateway; opened on first use and after each crash. */
export class GatewayChannel {
  private link: Link | null = null
  private lastId = 0
  private closed = false

  constructor(private readonly socketPath: string) {}

  /**
   * Sends a request; `onAnswer` is called once.
   * @returns what to call when nobody waits for the answer any more; null when nothing was sent
   */
  send(call: DeviceCall, onAnswer: OnAnswer): (() => void) | null {
    if (this.closed) return null
    this.link ??= this.open()
    const { writer, open } = this.link
    if (writer.waiting > MAX_WAITING) return null
    this.lastId = (this.lastId + 1) >>> 0
    const id = this.lastId
    open.set(id, onAnswer)
    writer.add(encodeCall(id, call))
    return () => {
      if (open.delete(id)) writer.add(encodeGone(id))
    }
  }

  close(): void {
    this.closed = true
    this.link?.socket.destroy()
  }

  private open(): Link {
    const socket = connect(this.socketPath)
    const open = new Map<number, OnAnswer>()
    const link: Link = { socket, open, writer: new FrameWriter(socket) }
    const reader = new FrameReader(frame => {
      if (frame.type !== 'answer') return
      const onAnswer = open.get(frame.id)
      open.delete(frame.id)
      onAnswer?.(frame.answer)
    })
    socket.write(HELLO)
    // Everything up to the empty line is the answer to our hello.
    let head: Buffer | null = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      try {
        if (head === null) {
          reader.push(chunk)
          return
        }
        head = Buffer.concat([head, chunk])
        const end = head.indexOf(END_OF_HEAD)
        if (end < 0) return
        const rest = head.subarray(end + END_OF_HEAD.length)
        head = null
        if (rest.length > 0) reader.push(rest)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (this.link === link) this.link = null
      for (const onAnswer of open.values()) onAnswer(null)
      open.clear()
    })
    return link
  }
}
