import type { Channel, UpMessage } from './channel.ts'
import { BufferFullError, ClosedError, ConnectionLostError } from './errors.ts'

interface Item {
  message: UpMessage
  bytes: number
  sending: boolean
  resolve(): void
  reject(error: Error): void
}

export interface OutboxLimits {
  messages: number
  bytes: number
}

/**
 * Messages on their way, in order, each until the platform has confirmed it. Bounded: when it is full the oldest that
 * is not under way gives way, for in a device's buffer the newest readings count most.
 */
export class Outbox {
  readonly #channel: Channel
  readonly #limits: OutboxLimits
  readonly #items: Item[] = []
  #bytes = 0
  #closed = false
  #idle: (() => void)[] = []

  constructor(channel: Channel, limits: OutboxLimits) {
    this.#channel = channel
    this.#limits = limits
  }

  get length(): number {
    return this.#items.length
  }

  /** Resolves when the platform has the message. */
  send(message: UpMessage): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      if (this.#closed) return reject(new ClosedError())
      const bytes = Buffer.byteLength(message.payload)
      this.#items.push({ message, bytes, sending: false, resolve, reject })
      this.#bytes += bytes
      this.#shed()
      this.pump()
    })
    // A caller that does not await a post must not be ended by an unhandled rejection.
    done.catch(() => {})
    return done
  }

  /** Sends what may be sent now; called when the connection is up and whenever a confirmation came. */
  pump(): void {
    if (!this.#channel.online || this.#closed) return
    let room = this.#channel.window - this.#items.filter(item => item.sending).length
    for (const item of this.#items) {
      if (room <= 0) return
      if (item.sending) continue
      room--
      item.sending = true
      this.#transmit(item).catch((error: Error) => this.#finish(item, error))
    }
  }

  /** Resolves when everything was confirmed or given up. */
  drained(): Promise<void> {
    return this.#items.length === 0 ? Promise.resolve() : new Promise(resolve => this.#idle.push(resolve))
  }

  close(): void {
    this.#closed = true
    for (const item of [...this.#items]) this.#finish(item, new ClosedError())
  }

  async #transmit(item: Item): Promise<void> {
    try {
      await this.#channel.transmit(item.message)
      this.#finish(item)
    } catch (error) {
      item.sending = false
      // It keeps its place and goes out again with the next connection.
      if (!(error instanceof ConnectionLostError)) this.#finish(item, error as Error)
    }
    this.pump()
  }

  #shed(): void {
    while (this.#items.length > this.#limits.messages || this.#bytes > this.#limits.bytes) {
      const oldest = this.#items.find(item => !item.sending)
      if (!oldest) return
      this.#finish(oldest, new BufferFullError())
    }
  }

  #finish(item: Item, error?: Error): void {
    const place = this.#items.indexOf(item)
    if (place < 0) return
    this.#items.splice(place, 1)
    this.#bytes -= item.bytes
    if (error) item.reject(error)
    else item.resolve()
    if (this.#items.length === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
