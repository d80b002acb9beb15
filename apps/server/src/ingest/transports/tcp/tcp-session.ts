import type { Socket } from 'node:net'
import type { LinkSettings } from '@thingwright/contracts/links.contract'
import type { SessionInfo } from '../../../modules/devices/gateway.port.ts'
import type { DisconnectReason, IngestPort } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import type { Driver, Line } from './driver.ts'

export interface TcpSessionOptions {
  socket: Socket
  device: DeviceRecord
  settings: LinkSettings
  info: SessionInfo
  port: Pick<IngestPort, 'hasRoom' | 'onDrain' | 'frame'>
  /** Time that never jumps. */
  now(): number
  /** The connection is over; told once. */
  ended(session: TcpSession, reason: DisconnectReason): void
}

/** Bytes that may wait in a socket before commands stay in their queue. */
const MOST_UNSENT = 65_536

/** The connection of one device that has signed in. */
export class TcpSession implements Line {
  readonly device: DeviceRecord
  readonly settings: LinkSettings
  readonly info: SessionInfo
  driver: Driver | null = null
  /** When bytes last came, on the clock that never jumps. */
  seenAt: number
  private reason: DisconnectReason | null = null
  private over = false
  /** Waits for room in the journal. */
  private paused = false
  /** Waits for the driver. */
  private held = false

  constructor(private readonly options: TcpSessionOptions) {
    this.device = options.device
    this.settings = options.settings
    this.info = options.info
    this.seenAt = options.now()
    const { socket } = options
    socket.setKeepAlive(true, 60_000)
    socket.on('data', chunk => this.receive(chunk))
    // The other side's FIN: some devices shut down their half after sending, but none of them reads afterwards.
    const ended = () => {
      this.reason ??= 'client'
      socket.end()
    }
    socket.on('end', ended)
    // It hung up while it was being signed in: what came with the register packet is taken first.
    if (socket.readableEnded) setImmediate(ended)
    socket.on('close', () => this.finish())
  }

  /** Silent for longer than this counts as gone, ms. */
  get silenceMs(): number {
    return this.device.offlineDelaySeconds * 1_000
  }

  /** Bytes that came with the register packet, or from the socket. */
  receive(chunk: Buffer): void {
    if (this.over || chunk.length === 0) return
    this.seenAt = this.options.now()
    this.info.bytesIn += chunk.length
    this.driver?.push(chunk)
    const { port, device, socket } = this.options
    if (this.paused || port.hasRoom(device)) return
    this.paused = true
    socket.pause()
    port.onDrain(device, () => {
      this.paused = false
      if (!this.over && !this.held) socket.resume()
    })
  }

  write(bytes: Buffer, note?: string): boolean {
    const { socket, port, device } = this.options
    if (this.over || !socket.writable || socket.writableLength > MOST_UNSENT) return false
    socket.write(bytes)
    this.info.bytesOut += bytes.length
    port.frame(device, 'down', bytes, note === undefined ? { channel: 'tcp' } : { channel: 'tcp', note })
    return true
  }

  hold(on: boolean): void {
    this.held = on
    if (this.over || this.paused) return
    if (on) this.options.socket.pause()
    else this.options.socket.resume()
  }

  /** Ends the connection; what was written still leaves. The end is told at once. */
  end(reason: DisconnectReason): void {
    if (this.over) return
    this.reason = reason
    const { socket } = this.options
    socket.end()
    // A peer that does not read must not keep the socket.
    setTimeout(() => socket.destroy(), 1_000).unref()
    this.finish()
  }

  private finish(): void {
    if (this.over) return
    this.driver?.close()
    this.over = true
    this.options.ended(this, this.reason ?? 'connection_lost')
  }
}
