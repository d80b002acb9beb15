import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { END_USER_TOPICS } from '@thingwright/contracts/end-user-routes'
import { LIVE_TOPICS } from '@thingwright/contracts/live-topics'
import type { Permission } from '@thingwright/contracts/permissions'
import { type WebSocket, WebSocketServer } from 'ws'
import { inBackground } from '../../lib/background.ts'
import { type Actor, actorId, customerOf, dataScopeOf, ownerIdOf } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { afterSilence } from '../../lib/silence.ts'
import type { LiveHub, LiveSink } from './live.hub.ts'

export interface LiveCaller {
  tenantId: string
  actor: Actor
  accountState: 0 | 1 | 2
  expiresAt: number
}

/** What a topic of a device resolves to for one caller. */
export interface LiveTopicSource {
  /** Topic name inside the hub (tenant-wide topics carry the tenant). Null: no such object for this caller. */
  resolve(caller: LiveCaller, pattern: string, id: string | null): Promise<string | null>
  snapshot(caller: LiveCaller, pattern: string, id: string | null): Promise<unknown>
  /** The given devices that the caller sees; asked for callers with a limited data scope only. */
  visible(caller: LiveCaller, deviceIds: readonly string[]): Promise<ReadonlySet<string>>
}

export interface LiveSocketOptions {
  hub: LiveHub
  logger: Logger
  /** @throws AppError when the token is no good, or may not be used from that address */
  authenticate(token: string, ip: string): Promise<LiveCaller>
  /** Where a connection comes from; without proxies the peer itself. */
  addressOf?(request: IncomingMessage): string
  source: LiveTopicSource
  /** Visitors of cloud pages: they sign in with a ticket of a page and hear what that page shows, and nothing else. */
  visitors?: LiveVisitors
  now(): number
}

/** One connection of a visitor. */
export interface LiveVisitor {
  send(text: string): void
  backlog(): number
  end(code: string): void
}

export interface LiveVisitors {
  isTicket(token: string): boolean
  /** @throws AppError when the ticket is good no longer */
  enter(token: string, visitor: LiveVisitor): Promise<void>
  leave(visitor: LiveVisitor): void
}

const AUTH_WITHIN_MS = 5000
const AFTER_EXPIRY_MS = 60_000
const RECHECK_MS = 5000
const UNAUTHORISED = 4401
/** A visitor's page was withdrawn, or it is not his to see any more. */
const VISIT_OVER = 4403
const MAX_TOPICS = 200
/** Messages of one socket that wait for their turn; more are left on the wire. */
const MAX_WAITING = 100

export interface LiveSocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Sends fresh snapshots of a hub topic to its subscribers: after a gap, nobody shall show an old state. */
  refresh(hubTopics: string[]): void
  /** Rights of these people, or of these API keys, changed: what they may no longer follow is revoked now, not at the next look. */
  recheck(ids: readonly string[]): void
  connections(): number
  close(): void
}

/** A topic as one client follows it. */
interface Followed {
  hubTopic: string
  pattern: string
  id: string | null
  /** What came while its state is being read; null when that has been told. */
  waiting: object[] | null
  /** Settles when its state has been told as often as that was asked for. */
  told: Promise<void>
}

/** The browser's one socket (interfaces.md §3 Live). */
export function createLiveSocket(options: LiveSocketOptions): LiveSocketServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: 65_536, perMessageDeflate: false })
  const sessions = new Set<Session>()
  const addressOf = options.addressOf ?? (request => request.socket.remoteAddress ?? '')

  class Session implements LiveSink {
    caller: LiveCaller | null = null
    token = ''
    /** Client's topic → hub topic. */
    readonly topics = new Map<string, Followed>()
    /** Of a client that does not say who it is. */
    readonly unnamed = afterSilence(AUTH_WITHIN_MS, () => this.close())
    // A process that was held up reads what came meanwhile before it calls a client silent.
    readonly recheck = setInterval(
      () => setImmediate(() => inBackground('checking a live connection', this.check())),
      RECHECK_MS,
    )
    alive = true
    /** What a limited caller sees of the devices he was told about, until the next look at his rights. */
    private seen = new Map<string, boolean>()
    /** Looks at who he is and what he may, sign-ins too: the last one that began, and the last whose answer counts. */
    private looks = 0
    private known = 0
    private signingIn = false
    /** Settles when the last message that came has been served. */
    private turn: Promise<void> = Promise.resolve()
    private waiting = 0
    /** It is closing or closed: nothing is served any more. */
    private leaving = false
    private held: { topic: string; id: string; message: object }[] = []
    private asking = false
    private readonly visitor: LiveVisitor = {
      send: text => {
        if (this.socket.readyState === this.socket.OPEN) this.socket.send(text)
      },
      backlog: () => this.socket.bufferedAmount,
      end: code => {
        this.write({ op: 'revoked', topic: 'page', code })
        this.close(VISIT_OVER)
      },
    }
    private isVisitor = false

    constructor(
      readonly socket: WebSocket,
      readonly ip: string,
    ) {
      socket.on('message', data => this.take(String(data)))
      socket.on('pong', () => {
        this.alive = true
      })
      socket.on('error', () => socket.terminate())
      socket.on('close', () => {
        this.leaving = true
        this.unnamed.end()
        clearInterval(this.recheck)
        options.hub.drop(this)
        if (this.isVisitor) options.visitors?.leave(this.visitor)
        sessions.delete(this)
      })
    }

    send(message: object): void {
      const hub = message as { topic?: string }
      if (hub.topic === undefined) {
        this.write(message)
        return
      }
      for (const [topic, entry] of this.topics) {
        if (entry.hubTopic !== hub.topic) continue
        if (entry.waiting) {
          entry.waiting.push(message)
          continue
        }
        this.pass(topic, entry, message)
      }
    }

    /** One message of the hub, under the client's name of the topic. */
    private pass(topic: string, entry: Followed, message: object): void {
      const { id } = message as { id?: string }
      // A topic of the whole company, and a caller who sees a part of it: each device is asked for once.
      if ((entry.pattern === 'devices/state' || entry.pattern === 'alarms') && this.limited() && id !== undefined)
        this.hold(topic, id, message)
      else this.write({ ...message, topic })
    }

    /**
     * Tells the state of a topic, and after it what came while it was read: a snapshot replaces everything known, so a
     * change that overtook an older state would be lost by it. For the same reason one telling follows the other.
     */
    private tell(topic: string, entry: Followed, caller: LiveCaller): Promise<void> {
      const turn = entry.told.then(() => this.tellNow(topic, entry, caller))
      entry.told = turn.catch(() => undefined)
      return turn
    }

    private async tellNow(topic: string, entry: Followed, caller: LiveCaller): Promise<void> {
      const follows = () => this.topics.get(topic) === entry
      if (!follows()) return
      // What came since it was followed waits as well: its state is read only now.
      const waiting = entry.waiting ?? []
      entry.waiting = waiting
      try {
        const snapshot = await options.source.snapshot(caller, entry.pattern, entry.id)
        // Left meanwhile, and perhaps followed anew: an older state must not come behind the newer one.
        if (follows()) this.write({ op: 'subscribed', topic, snapshot })
      } finally {
        entry.waiting = null
        if (follows()) for (const message of waiting) this.pass(topic, entry, message)
      }
    }

    private limited(): boolean {
      return this.caller !== null && dataScopeOf(this.caller.actor).kind === 'limited'
    }

    private hold(topic: string, id: string, message: object): void {
      this.held.push({ topic, id, message })
      if (!this.asking) inBackground('passing on what a live connection follows', this.release())
    }

    /** Passes on what is about devices of the caller's scope, in order. */
    private async release(): Promise<void> {
      this.asking = true
      try {
        while (this.held.length > 0 && this.caller) {
          const { seen } = this
          const held = this.held.splice(0)
          const unknown = [...new Set(held.map(({ id }) => id))].filter(id => !seen.has(id))
          if (unknown.length > 0) {
            const visible = await options.source.visible(this.caller, unknown)
            for (const id of unknown) seen.set(id, visible.has(id))
          }
          // His rights were looked at meanwhile: asked again.
          if (seen !== this.seen) this.held.unshift(...held)
          else
            for (const { topic, id, message } of held)
              if (seen.get(id) && this.topics.has(topic)) this.write({ ...message, topic })
        }
      } catch (error) {
        options.logger.warn({ err: error }, 'live devices of a data scope could not be told apart')
      } finally {
        this.asking = false
      }
    }

    backlog(): number {
      return this.socket.bufferedAmount
    }

    private write(message: object): void {
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message))
    }

    private close(code = UNAUTHORISED): void {
      this.leaving = true
      this.socket.close(code)
      // A peer that does not answer the closing handshake is not waited for.
      setTimeout(() => this.socket.terminate(), 2000).unref()
    }

    /** Rights are asked again while the socket is open: a frozen or demoted caller loses his topics within seconds. */
    private async check(): Promise<void> {
      if (!this.alive) return this.socket.terminate()
      if (options.now() % 30_000 < RECHECK_MS) {
        this.alive = false
        this.socket.ping()
      }
      await this.checkRights()
    }

    async checkRights(): Promise<void> {
      const { caller } = this
      if (!caller) return
      if (options.now() > caller.expiresAt + AFTER_EXPIRY_MS) return this.close()
      if (options.now() > caller.expiresAt) return
      // A sign-in looks at them itself.
      if (this.signingIn) return
      const look = ++this.looks
      let now: LiveCaller
      try {
        now = await options.authenticate(this.token, this.ip)
      } catch (error) {
        if (isAppError(error) && look > this.known && !this.signingIn) this.close()
        return
      }
      // He signed in anew meanwhile, or a later look was quicker.
      if (look < this.known) return
      this.become(now, look)
      await this.letGo(now)
    }

    /** Topics that the caller may no longer follow are revoked. */
    private async letGo(now: LiveCaller): Promise<void> {
      const gone = await this.lost(now)
      for (const [topic, entry] of [...this.topics]) {
        if (now.accountState === 2 && allowed(now, entry.pattern) && !(entry.id && gone.has(entry.id))) continue
        this.unsubscribe(topic)
        this.write({ op: 'revoked', topic })
      }
    }

    private become(caller: LiveCaller, look: number): void {
      this.caller = caller
      this.known = look
      // Another one: what is asked just now under the rights of before is not remembered.
      this.seen = new Map()
    }

    /** Devices he follows that are no longer his to see: they left his data scope, or it left them. */
    private async lost(caller: LiveCaller): Promise<ReadonlySet<string>> {
      const ids = [...new Set([...this.topics.values()].flatMap(entry => entry.id ?? []))]
      if (ids.length === 0 || !this.limited()) return new Set()
      try {
        const visible = await options.source.visible(caller, ids)
        return new Set(ids.filter(id => !visible.has(id)))
      } catch (error) {
        options.logger.warn({ err: error }, 'live data scope could not be checked')
        return new Set()
      }
    }

    /**
     * Messages are served in the order in which they were sent: what stands behind an `auth` or a `subscribe` waits until
     * that has taken effect. Reading a state is not waited for, or a slow topic would hold up all others.
     */
    private take(text: string): void {
      if (++this.waiting >= MAX_WAITING) this.socket.pause()
      this.turn = this.turn
        .then(() => (this.leaving ? undefined : this.receive(text)))
        .catch(error => options.logger.error({ err: error }, 'a live message could not be served'))
        .finally(() => {
          if (--this.waiting < MAX_WAITING && this.socket.isPaused) this.socket.resume()
        })
    }

    private async receive(text: string): Promise<void> {
      let message: { op?: unknown; token?: unknown; topics?: unknown }
      try {
        message = JSON.parse(text)
      } catch {
        return this.write({ op: 'error', code: 'live.malformed' })
      }
      if (!message || typeof message !== 'object') return this.write({ op: 'error', code: 'live.malformed' })
      // A page cannot see pings of the protocol: it asks in this way whether the connection still carries.
      if (message.op === 'ping' && (this.caller || this.isVisitor)) return this.write({ op: 'pong' })
      // What a visitor hears is decided by his ticket: he asks for nothing more.
      if (this.isVisitor) return this.write({ op: 'error', code: 'live.malformed' })
      if (message.op === 'auth' && typeof message.token === 'string')
        return options.visitors?.isTicket(message.token) && !this.caller
          ? this.visit(options.visitors, message.token)
          : this.authenticate(message.token)
      if (!this.caller) return this.write({ op: 'error', code: 'live.auth_first' })
      const topics =
        Array.isArray(message.topics) && message.topics.every(t => typeof t === 'string' && t.length <= 200)
          ? (message.topics as string[])
          : null
      if (message.op === 'subscribe' && topics) await this.subscribe(topics)
      else if (message.op === 'unsubscribe' && topics) {
        for (const topic of topics) this.unsubscribe(topic)
      } else this.write({ op: 'error', code: 'live.malformed' })
    }

    private async visit(visitors: LiveVisitors, ticket: string): Promise<void> {
      this.unnamed.end()
      this.isVisitor = true
      try {
        await visitors.enter(ticket, this.visitor)
        if (this.leaving) visitors.leave(this.visitor)
      } catch (error) {
        if (!isAppError(error)) options.logger.error({ err: error }, 'a visit could not begin')
        this.visitor.end(isAppError(error) ? error.code : 'server.error')
      }
    }

    private async authenticate(token: string): Promise<void> {
      this.unnamed.end()
      const look = ++this.looks
      this.signingIn = true
      try {
        const caller = await options.authenticate(token, this.ip)
        // A token of somebody else on the same socket would inherit the topics.
        if (
          this.caller &&
          (this.caller.tenantId !== caller.tenantId || actorId(this.caller.actor) !== actorId(caller.actor))
        )
          return this.close()
        this.token = token
        this.become(caller, look)
        this.write({ op: 'ready' })
        await this.letGo(caller)
      } catch (error) {
        if (!isAppError(error)) options.logger.error({ err: error }, 'live sign-in failed')
        this.close()
      } finally {
        this.signingIn = false
      }
    }

    /** Follows the topics, and then tells their states: the next message has its turn as soon as they are followed. */
    private async subscribe(topics: readonly string[]): Promise<void> {
      const followed: [topic: string, entry: Followed, caller: LiveCaller][] = []
      for (const topic of topics) {
        const entry = await this.follow(topic)
        if (entry && this.caller) followed.push([topic, entry, this.caller])
      }
      inBackground('states of live topics', this.tellAll(followed))
    }

    private async tellAll(followed: readonly [string, Followed, LiveCaller][]): Promise<void> {
      for (const [topic, entry, caller] of followed)
        try {
          await this.tell(topic, entry, caller)
        } catch (error) {
          if (this.topics.get(topic) !== entry) continue
          this.unsubscribe(topic)
          this.deny(topic, error)
        }
    }

    private deny(topic: string, error: unknown): void {
      if (!isAppError(error)) options.logger.error({ err: error, topic }, 'live subscription failed')
      this.write({ op: 'denied', topic, code: isAppError(error) ? error.code : 'server.error' })
    }

    private async follow(topic: string): Promise<Followed | null> {
      const { caller } = this
      const denied = (code: string) => {
        this.write({ op: 'denied', topic, code })
        return null
      }
      const found = matchTopic(topic)
      if (!found || !caller) return denied('request.not_found')
      if (caller.accountState !== 2 || !allowed(caller, found.pattern)) return denied('permission.denied')
      if (!this.topics.has(topic) && this.topics.size >= MAX_TOPICS) return denied('rate.limited')
      try {
        const hubTopic = await options.source.resolve(caller, found.pattern, found.id)
        if (!hubTopic) return denied('request.not_found')
        if (this.leaving) return null
        // His rights were looked at meanwhile: what he asks for is held against those of now.
        if (this.caller !== caller) return await this.follow(topic)
        // Subscribed before the snapshot is read, and held back until that is told: nothing falls between the two.
        const entry: Followed = { hubTopic, ...found, waiting: [], told: Promise.resolve() }
        this.topics.set(topic, entry)
        options.hub.subscribe(hubTopic, this)
        return entry
      } catch (error) {
        this.unsubscribe(topic)
        this.deny(topic, error)
        return null
      }
    }

    private unsubscribe(topic: string): void {
      const entry = this.topics.get(topic)
      if (!entry) return
      this.topics.delete(topic)
      if (![...this.topics.values()].some(other => other.hubTopic === entry.hubTopic))
        options.hub.unsubscribe(entry.hubTopic, this)
    }

    async refresh(hubTopics: ReadonlySet<string>): Promise<void> {
      const { caller } = this
      if (!caller) return
      for (const [topic, entry] of this.topics) {
        if (!hubTopics.has(entry.hubTopic)) continue
        try {
          await this.tell(topic, entry, caller)
        } catch (error) {
          options.logger.warn({ err: error, topic }, 'live snapshot failed')
        }
      }
    }
  }

  return {
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, client => sessions.add(new Session(client, addressOf(request))))
    },
    refresh(hubTopics) {
      const set = new Set(hubTopics)
      for (const session of sessions) inBackground('a new snapshot for a live connection', session.refresh(set))
    },
    recheck(changed) {
      const ids = new Set(changed)
      for (const session of sessions) {
        const actor = session.caller?.actor
        // A program's rights hang on its key and on the member the key stands on.
        if (actor && [actorId(actor), ownerIdOf(actor)].some(id => id !== null && ids.has(id)))
          inBackground('checking rights of a live connection', session.checkRights())
      }
    },
    connections: () => sessions.size,
    close() {
      for (const session of sessions) session.socket.close(1001)
      server.close()
      setTimeout(() => {
        for (const session of sessions) session.socket.terminate()
      }, 1000).unref()
    },
  }
}

/** Topics for anybody signed in that a program hears too: how far what it started has got. The others are a person's. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['tasks'])

function allowed(caller: LiveCaller, pattern: string): boolean {
  const entry = LIVE_TOPICS.find(t => t.pattern === pattern)
  return (
    entry !== undefined &&
    caller.actor.kind !== 'system' &&
    (!customerOf(caller.actor) || END_USER_TOPICS.has(pattern)) &&
    (entry.permission === 'signed-in'
      ? caller.actor.kind !== 'apiKey' || FOR_PROGRAMS.has(pattern)
      : caller.actor.permissions.has(entry.permission as Permission))
  )
}

/** Reads a topic against the declared patterns. */
export function matchTopic(topic: string): { pattern: string; id: string | null } | null {
  for (const { pattern } of LIVE_TOPICS) {
    if (!pattern.includes('{id}')) {
      if (pattern === topic) return { pattern, id: null }
      continue
    }
    const [before = '', after = ''] = pattern.split('{id}')
    if (topic.startsWith(before) && topic.endsWith(after) && topic.length > before.length + after.length) {
      const id = topic.slice(before.length, topic.length - after.length)
      if (!id.includes('/')) return { pattern, id }
    }
  }
  return null
}
