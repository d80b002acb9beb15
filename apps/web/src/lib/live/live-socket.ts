/** What a subscriber of a topic is told. A snapshot replaces everything known of the topic. */
export type LiveEvent =
  | { type: 'snapshot'; topic: string; snapshot: unknown }
  | { type: 'patch'; topic: string; id: string; patch: Record<string, unknown>; ts: number }
  | { type: 'removed'; topic: string; id: string; ts: number }
  | { type: 'denied'; topic: string; code: string }
  | { type: 'revoked'; topic: string }

export type LiveHandler = (event: LiveEvent) => void
export type LiveState = 'idle' | 'connecting' | 'live' | 'reconnecting'

/** The part of a WebSocket that is used; tests bring their own. */
export interface SocketLike {
  send(data: string): void
  close(code?: number): void
  onopen: (() => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
}

export interface LiveSocketDeps {
  open: () => SocketLike
  /** The token to authenticate with; null when nobody is signed in. */
  token: () => string | null
  /** Renews the token after the server refused it (close code 4401). */
  renew: (refused: string) => Promise<unknown>
  /** Told of each state; `heardAt` is when the server was last heard on a connection that is lost. */
  onState: (state: LiveState, heardAt: number) => void
  /** The machine's clock in epoch ms, which goes on while the machine sleeps. */
  now: () => number
  setTimer: (work: () => void, ms: number) => unknown
  clearTimer: (timer: unknown) => void
  random: () => number
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** A topic left and taken up again within this time (a page change) is never unsubscribed. */
const LINGER_MS = 300
/** A read waits so long at most until its topic is followed. */
const FOLLOWED_WITHIN_MS = 1000
const UNAUTHORISED = 4401
/** A connection on which nothing was heard for so long is asked whether it still carries. */
const PING_AFTER_MS = 15_000
/** It must answer within this time, else it is given up: after a sleep a socket can look open for ever. */
const ANSWER_WITHIN_MS = 10_000

/**
 * One socket per tab: authenticates first, again after each refresh; subscribes topics once however many handlers
 * want them; after a cut it comes back with growing pauses and subscribes everything again.
 */
export class LiveSocket {
  private readonly deps: LiveSocketDeps
  private readonly topics = new Map<string, { handlers: Set<LiveHandler>; lingering: unknown }>()
  /** Topics that the server has answered for on this connection. */
  private readonly answered = new Set<string>()
  private waiting: { topic: string; done: () => void }[] = []
  private socket: SocketLike | null = null
  private ready = false
  private wanted = false
  private failures = 0
  private retry: unknown = null
  private sentToken: string | null = null
  /** When the server was last heard (epoch ms). */
  private heardAt = 0
  /** The next ping, or the end of the time for its answer. */
  private watch: unknown = null
  private asked = false

  constructor(deps: LiveSocketDeps) {
    this.deps = deps
  }

  /** Connects and stays connected until `stop`. */
  start(): void {
    if (this.wanted) return
    this.wanted = true
    this.connect()
  }

  stop(): void {
    this.wanted = false
    this.deps.clearTimer(this.retry)
    this.retry = null
    this.failures = 0
    this.drop()
    this.tell('idle')
  }

  /** The network is back or the tab is seen again: connects at once, or asks whether the connection still carries. */
  wake(): void {
    if (!this.wanted) return
    if (this.socket) {
      if (this.ready && !this.asked) this.ask()
      return
    }
    this.deps.clearTimer(this.retry)
    this.connect()
  }

  /** Tells the server the renewed token. */
  reauthenticate(): void {
    const token = this.deps.token()
    if (!token || token === this.sentToken) return
    if (this.ready) this.authenticate(token)
    else this.wake()
  }

  /** Subscribes; the returned function ends it. A second handler of a topic makes the server send a new snapshot. */
  subscribe(topic: string, handler: LiveHandler): () => void {
    let entry = this.topics.get(topic)
    if (!entry) {
      entry = { handlers: new Set(), lingering: null }
      this.topics.set(topic, entry)
    }
    if (entry.lingering !== null) {
      this.deps.clearTimer(entry.lingering)
      entry.lingering = null
    }
    entry.handlers.add(handler)
    if (this.ready) this.send({ op: 'subscribe', topics: [topic] })
    return () => this.leave(topic, handler)
  }

  /**
   * Settles once the server follows the topic for us, so that what is read afterwards misses nothing. Without a connection
   * there is nothing to wait for: the snapshot that comes with it says that all is to be read again.
   */
  followed(topic: string): Promise<void> {
    if (!this.ready || this.answered.has(topic)) return Promise.resolve()
    return new Promise(resolve => {
      const timer = this.deps.setTimer(() => this.release(each => each === entry), FOLLOWED_WITHIN_MS)
      const entry = {
        topic,
        done: () => {
          this.deps.clearTimer(timer)
          resolve()
        },
      }
      this.waiting.push(entry)
    })
  }

  private release(which: (entry: { topic: string; done: () => void }) => boolean): void {
    const free = this.waiting.filter(which)
    this.waiting = this.waiting.filter(entry => !which(entry))
    for (const { done } of free) done()
  }

  /** Nothing is followed any more: the connection is gone. */
  private unfollowed(): void {
    this.ready = false
    this.deps.clearTimer(this.watch)
    this.watch = null
    this.asked = false
    this.answered.clear()
    this.release(() => true)
  }

  private leave(topic: string, handler: LiveHandler): void {
    const entry = this.topics.get(topic)
    if (!entry?.handlers.delete(handler) || entry.handlers.size > 0) return
    entry.lingering = this.deps.setTimer(() => {
      this.topics.delete(topic)
      this.answered.delete(topic)
      if (this.ready) this.send({ op: 'unsubscribe', topics: [topic] })
    }, LINGER_MS)
  }

  private connect(): void {
    this.retry = null
    const token = this.deps.token()
    if (!token) return
    this.tell(this.failures === 0 ? 'connecting' : 'reconnecting')
    const socket = this.deps.open()
    this.socket = socket
    socket.onopen = () => this.authenticate(token)
    socket.onmessage = event => {
      if (this.socket === socket) this.receive(event.data)
    }
    socket.onclose = event => {
      if (this.socket === socket) this.closed(event.code, token)
    }
  }

  private authenticate(token: string): void {
    this.sentToken = token
    this.send({ op: 'auth', token })
  }

  private closed(code: number, token: string): void {
    this.socket = null
    this.unfollowed()
    if (!this.wanted) return
    this.failures++
    this.tell('reconnecting')
    const refused = this.sentToken ?? token
    if (code === UNAUTHORISED && refused === this.deps.token()) {
      // Whatever becomes of the refresh, its own flow signs out if it must; here only the connection counts.
      this.deps.renew(refused).then(
        () => this.later(),
        () => this.later(),
      )
    } else this.later()
  }

  private later(): void {
    if (!this.wanted || this.retry !== null || this.socket) return
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1))
    this.retry = this.deps.setTimer(() => this.connect(), longest * (0.5 + this.deps.random() / 2))
  }

  private tell(state: LiveState): void {
    this.deps.onState(state, this.heardAt)
  }

  /** Looks again in a while whether the connection still carries. */
  private watchOn(): void {
    this.deps.clearTimer(this.watch)
    this.asked = false
    this.watch = this.deps.setTimer(() => {
      const quiet = this.deps.now() - this.heardAt
      if (quiet >= PING_AFTER_MS) this.ask()
      else this.watchOn()
    }, PING_AFTER_MS)
  }

  /** Sends a ping; where more time went by than a connection that carries leaves unheard, it counts as lost until it answers. */
  private ask(): void {
    this.deps.clearTimer(this.watch)
    this.asked = true
    if (this.deps.now() - this.heardAt > PING_AFTER_MS + ANSWER_WITHIN_MS) this.tell('reconnecting')
    this.send({ op: 'ping' })
    this.watch = this.deps.setTimer(() => this.giveUp(), ANSWER_WITHIN_MS)
  }

  /** The connection is dead without having said so: another one is opened at once. */
  private giveUp(): void {
    this.failures = Math.max(1, this.failures)
    this.drop()
    this.connect()
  }

  private heard(): void {
    this.heardAt = this.deps.now()
    if (!this.asked) return
    this.tell('live')
    this.watchOn()
  }

  private drop(): void {
    const socket = this.socket
    this.socket = null
    this.unfollowed()
    this.sentToken = null
    socket?.close(1000)
  }

  private send(message: object): void {
    this.socket?.send(JSON.stringify(message))
  }

  private receive(data: unknown): void {
    const message = parse(data)
    if (!message) return
    this.heard()
    if (message.op === 'ready') {
      const first = !this.ready
      this.ready = true
      this.failures = 0
      this.tell('live')
      this.watchOn()
      if (first && this.topics.size > 0) this.send({ op: 'subscribe', topics: [...this.topics.keys()] })
      return
    }
    const topic = typeof message.topic === 'string' ? message.topic : null
    if (topic === null) return
    const event = eventOf(topic, message)
    const entry = this.topics.get(topic)
    if (event && (event.type === 'snapshot' || event.type === 'denied')) this.answered.add(topic)
    if (event?.type === 'revoked') this.answered.delete(topic)
    if (event && entry) for (const handler of [...entry.handlers]) handler(event)
    // After the handlers: they know that it was told before the read begins.
    if (this.answered.has(topic)) this.release(each => each.topic === topic)
  }
}

function parse(data: unknown): Record<string, unknown> | null {
  if (typeof data !== 'string') return null
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function eventOf(topic: string, message: Record<string, unknown>): LiveEvent | null {
  const ts = typeof message.ts === 'number' ? message.ts : 0
  const id = typeof message.id === 'string' ? message.id : ''
  switch (message.op ?? message.type) {
    case 'subscribed':
      return { type: 'snapshot', topic, snapshot: message.snapshot }
    case 'denied':
      return { type: 'denied', topic, code: String(message.code ?? '') }
    case 'revoked':
      return { type: 'revoked', topic }
    case 'patch':
      return { type: 'patch', topic, id, patch: (message.patch ?? {}) as Record<string, unknown>, ts }
    case 'removed':
      return { type: 'removed', topic, id, ts }
    default:
      return null
  }
}
