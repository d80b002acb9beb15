import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'

/** What the platform sends over its live socket. */
export interface LiveMessage {
  op?: string
  topic?: string
  type?: string
  patch?: Record<string, { value: unknown; ts: number }>
}

const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 } as const

/** The console's live socket, as a browser opens it; of WebSocket only what the server uses. */
export class LiveClient {
  private rest: Buffer = Buffer.alloc(0)

  private constructor(
    private readonly socket: Socket,
    private readonly receive: (message: LiveMessage) => void,
  ) {
    socket.on('data', (chunk: Buffer) => this.read(chunk))
  }

  static open(url: string, receive: (message: LiveMessage) => void): Promise<LiveClient> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}/api/v1/live`, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          origin: url,
          'sec-websocket-version': '13',
          'sec-websocket-key': randomBytes(16).toString('base64'),
        },
      })
      outgoing.on('upgrade', (_reply, socket: Socket, head) => {
        socket.setNoDelay(true)
        const client = new LiveClient(socket, receive)
        if (head.length > 0) client.read(head)
        resolve(client)
      })
      outgoing.on('response', reply => reject(new Error(`the live socket was refused: HTTP ${reply.statusCode}`)))
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
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    for (;;) {
      const frame = frameAt(bytes)
      if (!frame) break
      bytes = bytes.subarray(frame.end)
      if (frame.opcode === OPCODE.text) this.receive(JSON.parse(frame.payload.toString()) as LiveMessage)
      else if (frame.opcode === OPCODE.ping) this.frame(OPCODE.pong, frame.payload)
    }
    this.rest = bytes
  }
}

function frameAt(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | null {
  if (bytes.length < 2) return null
  let length = bytes[1]! & 0x7f
  let at = 2
  if (length === 126) {
    if (bytes.length < 4) return null
    length = bytes.readUInt16BE(2)
    at = 4
  } else if (length === 127) {
    if (bytes.length < 10) return null
    length = Number(bytes.readBigUInt64BE(2))
    at = 10
  }
  if (bytes.length < at + length) return null
  return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(at, at + length), end: at + length }
}
