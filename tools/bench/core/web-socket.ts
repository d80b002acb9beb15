import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'

const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 } as const

/** A WebSocket client that sends and receives JSON; of the protocol only what the servers here use. */
export class JsonSocket {
  /** Parts of frames that have not come whole yet. */
  private chunks: Buffer[] = []
  private length = 0
  private wanted = 2

  private constructor(
    private readonly socket: Socket,
    private readonly receive: (text: Buffer) => void,
  ) {
    socket.on('data', (chunk: Buffer) => this.read(chunk))
  }

  /** @param url with http:// @throws when the server does not switch protocols */
  static open(url: string, receive: (message: unknown) => void): Promise<JsonSocket> {
    return JsonSocket.openUnread(url, text => receive(JSON.parse(text.toString())))
  }

  /** The same for a thousand clients of one process: what comes is handed on as it came, the JSON unread. */
  static openUnread(url: string, receive: (text: Buffer) => void): Promise<JsonSocket> {
    return new Promise((resolve, reject) => {
      const outgoing = request(url, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          origin: new URL(url).origin,
          'sec-websocket-version': '13',
          'sec-websocket-key': randomBytes(16).toString('base64'),
        },
      })
      outgoing.on('upgrade', (_reply, socket: Socket, head) => {
        socket.setNoDelay(true)
        const client = new JsonSocket(socket, receive)
        if (head.length > 0) client.read(head)
        resolve(client)
      })
      outgoing.on('response', reply => reject(new Error(`no WebSocket at ${url}: HTTP ${reply.statusCode}`)))
      outgoing.on('error', reject)
      outgoing.end()
    })
  }

  send(message: object): void {
    this.frame(OPCODE.text, Buffer.from(JSON.stringify(message)))
  }

  close(): void {
    this.socket.destroy()
  }

  private frame(opcode: number, payload: Buffer): void {
    const { length } = payload
    const head = length < 126 ? [length | 0x80] : [126 | 0x80, length >> 8, length & 0xff]
    const mask = randomBytes(4)
    const masked = Buffer.from(payload.map((byte, i) => byte ^ mask[i % 4]!))
    this.socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...head]), mask, masked]))
  }

  private read(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.length += chunk.length
    // A long frame comes in many chunks: they are put together once, not every time.
    if (this.length < this.wanted) return
    let bytes = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks)
    for (;;) {
      const frame = frameAt(bytes)
      this.wanted = frame.end
      if (frame.end > bytes.length) break
      const payload = bytes.subarray(frame.from, frame.end)
      bytes = bytes.subarray(frame.end)
      if (frame.opcode === OPCODE.text) this.receive(payload)
      else if (frame.opcode === OPCODE.ping) this.frame(OPCODE.pong, payload)
    }
    this.chunks = [bytes]
    this.length = bytes.length
  }
}

/** Where the first frame lies; its end is beyond the bytes when more must come. Servers do not mask. */
function frameAt(bytes: Buffer): { opcode: number; from: number; end: number } {
  const opcode = (bytes[0] ?? 0) & 0x0f
  const short = (bytes[1] ?? 0) & 0x7f
  const from = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < from) return { opcode, from, end: from }
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  return { opcode, from, end: from + length }
}
