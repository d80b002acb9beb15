import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { inBackground } from '../../../lib/background.ts'
import { afterSilence } from '../../../lib/silence.ts'
import type { DeliveryBatch, DeliveryOutcome, TargetAdapter } from '../../../modules/subscriptions/target.port.ts'

/**
 * Whether this token may read this subscription; resolves with the time (epoch ms) until which it may, null when it
 * may not. Rejects while that cannot be told.
 */
export type AuthoriseStream = (token: string, ip: string, subscriptionId: string) => Promise<number | null>

export interface StreamOptions {
  addressOf(request: IncomingMessage): string
  now(): number
  /** A client that acknowledges nothing for so long is cut. */
  stalledMs?: number
  /** How often the rights of an open stream are looked at again. */
  recheckMs?: number
}

export interface StreamServer {
  adapter: TargetAdapter
  /** A WebSocket upgrade of `/api/v1/subscriptions/{id}/stream`. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    subscriptionId: string,
    authorise: AuthoriseStream,
  ): void
  connections(): number
  close(): void
}

const AUTH_WITHIN_MS = 5000
const AFTER_EXPIRY_MS = 60_000
const STALLED_MS = 30_000
const RECHECK_MS = 15_000
/** A client that answers no ping until the next one is gone. */
const HEARTBEAT_MS = 15_000
/** A peer that does not answer the closing handshake is not waited for. */
const CLOSE_MS = 10_000
const UNAUTHORISED = 4401
const STALLED = 4408
const TAKEN_OVER = 4409

/**
 * Streams of items over WebSocket. The client says first who it is (`{op:"auth", token}`), then gets
 * `{op:"items", cursor, items}` and answers `{op:"ack", cursor}` once they are safe: what was not acknowledged comes
 * again on the next connection. One client per subscription; the newest has it.
 */
export function createStreams(options: StreamOptions): StreamServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: 16_384, perMessageDeflate: false })
  const streams = new Map<string, Stream>()
  const open = new Set<Stream>()
  const wakes = new Map<string, Set<() => void>>()
  /** A client has one delivery at a time, of the queue or of whoever tries it: the second waits for the first. */
  const turns = new Map<string, Promise<unknown>>()

  class Stream {
    private token = ''
    private authorised = false
    private until = 0
    private alive = true
    private delivery: { batch: DeliveryBatch; acknowledged: number; done(outcome: DeliveryOutcome): void } | null = null
    private began = 0
    private stall: NodeJS.Timeout | null = null
    /** Of a client that does not say who it is. */
    private readonly unnamed = afterSilence(AUTH_WITHIN_MS, () => this.end(UNAUTHORISED))
    private readonly recheck = setInterval(
      () => inBackground('checking a client of a subscription', this.check()),
      options.recheckMs ?? RECHECK_MS,
    )
    // A process that was held up reads what came meanwhile before it calls a client silent.
    private readonly heartbeat = setInterval(() => setImmediate(() => this.beat()), HEARTBEAT_MS)

    constructor(
      private readonly socket: WebSocket,
      private readonly ip: string,
      private readonly id: string,
      private readonly authorise: AuthoriseStream,
    ) {
      open.add(this)
      socket.on('message', data => inBackground('a message of a client of a subscription', this.receive(String(data))))
      socket.on('pong', () => {
        this.alive = true
      })
      socket.on('error', () => socket.terminate())
      socket.on('close', () => this.closed())
    }

    private write(text: string): void {
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(text)
    }

    end(code: number): void {
      this.socket.close(code)
      setTimeout(() => this.socket.terminate(), CLOSE_MS).unref()
    }

    private closed(): void {
      this.unnamed.end()
      clearInterval(this.recheck)
      clearInterval(this.heartbeat)
      open.delete(this)
      if (streams.get(this.id) === this) streams.delete(this.id)
      this.finish(null)
    }

    private async receive(text: string): Promise<void> {
      const message = parse(text)
      if (message?.op === 'auth' && typeof message.token === 'string') await this.signIn(message.token)
      else if (message?.op === 'ack' && typeof message.cursor === 'number') this.acknowledge(message.cursor)
      else this.write('{"op":"error","code":"live.malformed"}')
    }

    private async signIn(token: string): Promise<void> {
      this.unnamed.end()
      if (!(await this.allowed(token))) return
      this.token = token
      if (this.authorised) return
      this.authorised = true
      streams.get(this.id)?.end(TAKEN_OVER)
      streams.set(this.id, this)
      this.write(JSON.stringify({ op: 'ready', subscriptionId: this.id }))
      for (const wake of wakes.get(this.id) ?? []) wake()
    }

    private async allowed(token: string): Promise<boolean> {
      try {
        const until = await this.authorise(token, this.ip, this.id)
        if (until !== null && this.socket.readyState === this.socket.OPEN) {
          this.until = until
          return true
        }
        this.end(UNAUTHORISED)
      } catch {
        // Not known now: an open stream stays for the moment, a new one tries again.
        if (!this.authorised) this.end(1013)
      }
      return false
    }

    private beat(): void {
      if (!this.alive) {
        this.socket.terminate()
        return
      }
      this.alive = false
      this.socket.ping()
    }

    /** A stream outlives its token by a minute, and rights that were taken away by seconds. */
    private async check(): Promise<void> {
      if (!this.authorised) return
      if (options.now() > this.until + AFTER_EXPIRY_MS) this.end(UNAUTHORISED)
      else if (options.now() <= this.until) await this.allowed(this.token)
    }

    deliver(batch: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome> {
      return new Promise(resolve => {
        const stop = () => this.finish({ kind: 'away' })
        this.delivery = {
          batch,
          acknowledged: 0,
          done(outcome) {
            signal.removeEventListener('abort', stop)
            resolve(outcome)
          },
        }
        signal.addEventListener('abort', stop, { once: true })
        this.began = performance.now()
        this.stall = setTimeout(() => this.stalled(), options.stalledMs ?? STALLED_MS)
        this.write(frameOf(batch))
      })
    }

    private acknowledge(cursor: number): void {
      const { delivery } = this
      if (!delivery) return
      const { items } = delivery.batch
      while (delivery.acknowledged < items.length && items[delivery.acknowledged]!.cursor <= cursor)
        delivery.acknowledged++
      if (delivery.acknowledged === items.length) this.finish({ kind: 'ok', latencyMs: this.latency() })
      else this.stall?.refresh()
    }

    private latency(): number {
      return Math.round(performance.now() - this.began)
    }

    private stalled(): void {
      this.finish({ kind: 'retry', reason: 'timeout', latencyMs: this.latency() })
      this.end(STALLED)
    }

    /** Null: the client is gone. What it acknowledged counts in any case. */
    private finish(outcome: DeliveryOutcome | null): void {
      const { delivery } = this
      this.delivery = null
      if (this.stall) clearTimeout(this.stall)
      if (!delivery) return
      const { acknowledged } = delivery
      if (acknowledged === 0 || outcome?.kind === 'ok') delivery.done(outcome ?? { kind: 'away' })
      else delivery.done({ kind: 'partial', acknowledged, latencyMs: this.latency() })
    }
  }

  return {
    adapter: {
      open({ subscriptionId }, { wake }) {
        const here = wakes.get(subscriptionId) ?? new Set()
        wakes.set(subscriptionId, here.add(wake))
        const inTurn = (batch: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome> => {
          const send = async (): Promise<DeliveryOutcome> => {
            const stream = signal.aborted ? undefined : streams.get(subscriptionId)
            return stream ? stream.deliver(batch, signal) : { kind: 'away' }
          }
          const mine = (turns.get(subscriptionId) ?? Promise.resolve()).then(send)
          const settled = mine
            .catch(() => undefined)
            .then(() => {
              if (turns.get(subscriptionId) === settled) turns.delete(subscriptionId)
            })
          turns.set(subscriptionId, settled)
          return mine
        }
        return {
          deliver: inTurn,
          test: inTurn,
          async close() {
            here.delete(wake)
            if (here.size === 0 && wakes.get(subscriptionId) === here) wakes.delete(subscriptionId)
          },
        }
      },
    },
    upgrade(request, socket, head, subscriptionId, authorise) {
      server.handleUpgrade(request, socket, head, client => {
        new Stream(client, options.addressOf(request), subscriptionId, authorise)
      })
    },
    connections: () => open.size,
    close() {
      for (const stream of open) stream.end(1001)
      server.close()
    },
  }
}

function frameOf({ items }: DeliveryBatch): string {
  const texts = items.map(({ payload }) => (isJson(payload) ? payload : JSON.stringify(payload)))
  return `{"op":"items","cursor":${items.at(-1)?.cursor ?? 0},"items":[${texts.join(',')}]}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parse(text: string): { op?: unknown; token?: unknown; cursor?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
