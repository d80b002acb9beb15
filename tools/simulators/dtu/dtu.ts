import { connect, type Socket } from 'node:net'

export interface DtuOptions {
  host: string
  port: number
  /** First packet, as it crosses the wire: usually `{productKey}/{deviceNo}/{deviceSecret}\r\n`. */
  register: string | Buffer
  /** Sent every `heartbeatMs`. */
  heartbeat?: Buffer
  heartbeatMs?: number
  /** The next frame, asked for every `everyMs`; null: nothing to send now. */
  frame?(at: number): string | Buffer | null
  everyMs?: number
  /** Bytes from the platform. */
  onBytes?(bytes: Buffer): void
  /** Comes back this long after the connection was lost; null: stays away. */
  reconnectMs?: number | null
}

/** A DTU: connects out, says who it is, sends frames and heartbeats, and comes back when it was thrown out. */
export class Dtu {
  private socket: Socket | null = null
  private timers: NodeJS.Timeout[] = []
  private stopped = false
  connections = 0

  constructor(private readonly options: DtuOptions) {}

  start(): void {
    const { host, port, register, heartbeat, frame, onBytes } = this.options
    const socket = connect({ host, port, noDelay: true }, () => {
      this.connections++
      socket.write(register)
      if (heartbeat) this.every(this.options.heartbeatMs ?? 60_000, () => socket.write(heartbeat))
      if (frame)
        this.every(this.options.everyMs ?? 10_000, () => {
          const bytes = frame(Date.now())
          if (bytes !== null) socket.write(bytes)
        })
    })
    this.socket = socket
    socket.on('data', bytes => onBytes?.(bytes))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.clear()
      const { reconnectMs = 5_000 } = this.options
      if (!this.stopped && reconnectMs !== null) this.timers.push(setTimeout(() => this.start(), reconnectMs))
    })
  }

  /** Writes bytes now; false: there is no connection. */
  send(bytes: string | Buffer): boolean {
    if (!this.socket?.writable) return false
    this.socket.write(bytes)
    return true
  }

  stop(): void {
    this.stopped = true
    this.clear()
    this.socket?.destroy()
  }

  private every(ms: number, work: () => void): void {
    work()
    this.timers.push(setInterval(work, ms))
  }

  private clear(): void {
    for (const timer of this.timers) clearTimeout(timer)
    this.timers = []
  }
}
