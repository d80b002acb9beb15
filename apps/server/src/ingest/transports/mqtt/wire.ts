import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'

export interface WireEvents {
  data(chunk: Buffer): void
  /** The write buffer is empty again. */
  drain(): void
  /** The peer is gone; called once. */
  close(): void
}

/** A byte stream to one client, whatever carries it. */
export interface Wire {
  /** Starts calling `events`. */
  open(events: WireEvents): void
  write(bytes: Buffer): void
  /** Bytes written but not yet handed to the system. */
  readonly backlog: number
  pause(): void
  resume(): void
  /** Says nothing more, listens to nothing more, gives the peer a moment to read what was said. */
  end(): void
  destroy(): void
}

/** Time in which a peer may read our last words before its socket goes. */
const LINGER_MS = 1000

/** TCP and TLS. */
export class SocketWire implements Wire {
  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    // finds dead peers that asked for no keep-alive
    socket.setKeepAlive(true, 60_000)
    // an error is always followed by 'close'
    socket.on('error', () => {})
  }

  open(events: WireEvents): void {
    this.socket.on('data', events.data)
    this.socket.on('drain', events.drain)
    this.socket.once('close', events.close)
  }

  write(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes)
  }

  get backlog(): number {
    return this.socket.writableLength
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  end(): void {
    const { socket } = this
    if (socket.destroyed) return
    // Closing with unread bytes would reset the connection and could take our last words with it: read and forget.
    socket.removeAllListeners('data')
    socket.resume()
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/** MQTT over WebSocket (MQTT 3.1.1 §6): binary frames, whose borders mean nothing. */
export class WebSocketWire implements Wire {
  constructor(private readonly socket: WebSocket) {
    socket.binaryType = 'nodebuffer'
    socket.on('error', () => {})
  }

  open(events: WireEvents): void {
    this.socket.on('message', (data, isBinary) => {
      // MQTT-6.0.0-1: any other frame ends the connection
      if (!isBinary) this.socket.close(1003)
      else events.data(data as Buffer)
    })
    this.socket.once('close', events.close)
    this.drained = events.drain
  }

  private drained: () => void = () => {}

  write(bytes: Buffer): void {
    if (this.socket.readyState !== this.socket.OPEN) return
    this.socket.send(bytes, { binary: true }, () => {
      if (this.socket.bufferedAmount === 0) this.drained()
    })
  }

  get backlog(): number {
    return this.socket.bufferedAmount
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  end(): void {
    this.socket.removeAllListeners('message')
    this.socket.resume()
    this.socket.close(1000)
    const timer = setTimeout(() => this.socket.terminate(), LINGER_MS)
    this.socket.once('close', () => clearTimeout(timer))
  }

  destroy(): void {
    this.socket.terminate()
  }
}
