import { connect, type Socket } from 'node:net'
import { reconnectDelay } from '@thingwright/device-sdk/backoff'
import type { Address } from './fleet-device.ts'

export interface TcpLinkOptions {
  /** Null: there is nowhere to dial, so the device stays offline. */
  address: Address | null
  /** The first packet, which says who connects. */
  register: string
  /** Sent after the register packet and then each `everyMs`; null: whoever is polled shows that it is there. */
  heartbeat: { packet: string; everyMs: number } | null
  /** A server that says nothing for so long is gone, whatever the socket says, ms. */
  silenceMs: number
  random: () => number
  now: () => number
}

export interface TcpLinkHandlers {
  /** The first bytes of the server on this connection. */
  ready(): void
  data(bytes: Buffer): void
}

const CONNECT_TIMEOUT_MS = 10_000

/**
 * The line of a DTU: dials out, says who it is, shows that it is alive, and dials again for ever with jitter. Raw TCP
 * has no word for "you are in", and a server that does not know us simply hangs up; so a line counts as up when the
 * server has said something, and until then every try comes later than the one before. It owns no timer.
 */
export class TcpLink {
  readonly #options: TcpLinkOptions
  readonly #handlers: TcpLinkHandlers
  #socket: Socket | null = null
  #state: 'idle' | 'connecting' | 'registered' | 'ready' | 'stopped' = 'idle'
  #attempt = 0
  #nextAttemptAt: number
  /** When something last came, or the dialling began. */
  #heardAt = 0
  #nextHeartbeatAt = 0

  /** @param firstAttemptAt when to connect for the first time; spreads a fleet over its start */
  constructor(options: TcpLinkOptions, handlers: TcpLinkHandlers, firstAttemptAt: number) {
    this.#options = options
    this.#handlers = handlers
    this.#nextAttemptAt = firstAttemptAt
  }

  get ready(): boolean {
    return this.#state === 'ready'
  }

  /** False when the line is down; nothing is kept then. */
  write(bytes: Buffer | string): boolean {
    if (this.#state !== 'ready' || !this.#socket?.writable) return false
    this.#socket.write(bytes)
    return true
  }

  /** Does what is due: dial, give up on a silent server, show that we are here. */
  tick(now: number): void {
    switch (this.#state) {
      case 'idle':
        if (this.#options.address && now >= this.#nextAttemptAt) this.#dial(this.#options.address, now)
        break
      case 'connecting':
        if (now - this.#heardAt > CONNECT_TIMEOUT_MS) this.#dropped()
        break
      case 'registered':
      case 'ready':
        if (now - this.#heardAt > this.#options.silenceMs) this.#dropped()
        else if (this.#options.heartbeat && now >= this.#nextHeartbeatAt) this.#beat(now)
        break
      default:
    }
  }

  /** Hangs up; resolves when the socket is gone. */
  async stop(): Promise<void> {
    const socket = this.#socket
    this.#state = 'stopped'
    if (!socket || socket.destroyed) return
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
    socket.end()
    // The server closes when we do; not for ever, though.
    socket.setTimeout(1_000, () => socket.destroy())
    if (socket.connecting) socket.destroy()
    await closed
  }

  #dial({ host, port }: Address, now: number): void {
    this.#state = 'connecting'
    this.#heardAt = now
    const socket = connect({ host, port, noDelay: true })
    this.#socket = socket
    socket.on('connect', () => {
      if (this.#socket !== socket || this.#state === 'stopped') return
      this.#state = 'registered'
      this.#heardAt = this.#options.now()
      socket.write(this.#options.register)
      if (this.#options.heartbeat) this.#beat(this.#heardAt)
    })
    socket.on('data', bytes => this.#heard(socket, bytes))
    socket.on('error', () => {
      // 'close' follows and does what is needed.
    })
    socket.on('close', () => {
      if (this.#socket === socket) this.#dropped()
    })
  }

  #heard(socket: Socket, bytes: Buffer): void {
    if (this.#socket !== socket || this.#state === 'stopped') return
    this.#heardAt = this.#options.now()
    if (this.#state !== 'ready') {
      this.#state = 'ready'
      this.#attempt = 0
      this.#handlers.ready()
    }
    this.#handlers.data(bytes)
  }

  #beat(now: number): void {
    const { packet, everyMs } = this.#options.heartbeat!
    this.#nextHeartbeatAt = now + everyMs
    this.#socket?.write(packet)
  }

  /** The connection is gone or is given up: another try after a pause. */
  #dropped(): void {
    this.#socket?.destroy()
    this.#socket = null
    if (this.#state === 'stopped') return
    this.#state = 'idle'
    this.#nextAttemptAt = this.#options.now() + reconnectDelay(this.#attempt, false, this.#options.random)
    this.#attempt++
  }
}
