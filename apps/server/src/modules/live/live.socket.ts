import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { LIVE_TOPICS } from '@thingwright/contracts/live-topics'
import type { Permission } from '@thingwright/contracts/permissions'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Actor } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
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
}

export interface LiveSocketOptions {
  hub: LiveHub
  logger: Logger
  /** @throws AppError when the token is no good */
  authenticate(token: string): Promise<LiveCaller>
  source: LiveTopicSource
  now(): number
}

const AUTH_WITHIN_MS = 5000
const AFTER_EXPIRY_MS = 60_000
const RECHECK_MS = 5000
const UNAUTHORISED = 4401
const MAX_TOPICS = 200

export interface LiveSocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Sends fresh snapshots of a hub topic to its subscribers: after a gap, nobody shall show an old state. */
  refresh(hubTopics: string[]): void
  connections(): number
  close(): void
}

/** The browser's one socket (interfaces.md §3 Live). */
export function createLiveSocket(options: LiveSocketOptions): LiveSocketServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: 65_536, perMessageDeflate: false })
  const sessions = new Set<Session>()

  class Session implements LiveSink {
    caller: LiveCaller | null = null
    token = ''
    /** Client's topic → hub topic. */
    readonly topics = new Map<string, { hubTopic: string; pattern: string; id: string | null }>()
    readonly authTimer = setTimeout(() => this.close(), AUTH_WITHIN_MS)
    readonly recheck = setInterval(() => void this.check(), RECHECK_MS)
    alive = true

    constructor(readonly socket: WebSocket) {
      socket.on('message', data => void this.receive(String(data)))
      socket.on('pong', () => {
        this.alive = true
      })
      socket.on('error', () => socket.terminate())
      socket.on('close', () => {
        clearTimeout(this.authTimer)
        clearInterval(this.recheck)
        options.hub.drop(this)
        sessions.delete(this)
      })
    }

    send(message: object): void {
      const hub = message as { topic?: string }
      if (hub.topic === undefined) {
        this.write(message)
        return
      }
      for (const [topic, entry] of this.topics) if (entry.hubTopic === hub.topic) this.write({ ...message, topic })
    }

    backlog(): number {
      return this.socket.bufferedAmount
    }

    private write(message: object): void {
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message))
    }

    private close(): void {
      this.socket.close(UNAUTHORISED)
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
      const { caller } = this
      if (!caller) return
      if (options.now() > caller.expiresAt + AFTER_EXPIRY_MS) return this.close()
      if (options.now() > caller.expiresAt) return
      try {
        this.caller = await options.authenticate(this.token)
      } catch (error) {
        if (isAppError(error)) this.close()
        return
      }
      for (const [topic, entry] of [...this.topics]) {
        if (allowed(this.caller, entry.pattern)) continue
        options.hub.unsubscribe(entry.hubTopic, this)
        this.topics.delete(topic)
        this.write({ op: 'revoked', topic })
      }
    }

    private async receive(text: string): Promise<void> {
      let message: { op?: unknown; token?: unknown; topics?: unknown }
      try {
        message = JSON.parse(text)
      } catch {
        return this.write({ op: 'error', code: 'live.malformed' })
      }
      if (!message || typeof message !== 'object') return this.write({ op: 'error', code: 'live.malformed' })
      if (message.op === 'auth' && typeof message.token === 'string') return this.authenticate(message.token)
      if (!this.caller) return this.write({ op: 'error', code: 'live.auth_first' })
      const topics =
        Array.isArray(message.topics) && message.topics.every(t => typeof t === 'string' && t.length <= 200)
          ? (message.topics as string[])
          : null
      if (message.op === 'subscribe' && topics) {
        for (const topic of topics) await this.subscribe(topic)
      } else if (message.op === 'unsubscribe' && topics) {
        for (const topic of topics) this.unsubscribe(topic)
      } else this.write({ op: 'error', code: 'live.malformed' })
    }

    private async authenticate(token: string): Promise<void> {
      try {
        const caller = await options.authenticate(token)
        // A token of somebody else on the same socket would inherit the topics.
        if (this.caller && (this.caller.tenantId !== caller.tenantId || loginOf(this.caller) !== loginOf(caller)))
          return this.close()
        this.caller = caller
        this.token = token
        clearTimeout(this.authTimer)
        this.write({ op: 'ready' })
      } catch (error) {
        if (!isAppError(error)) options.logger.error({ err: error }, 'live sign-in failed')
        this.close()
      }
    }

    private async subscribe(topic: string): Promise<void> {
      const found = matchTopic(topic)
      const { caller } = this
      if (!found || !caller) return this.write({ op: 'denied', topic, code: 'request.not_found' })
      if (caller.accountState !== 2 || !allowed(caller, found.pattern))
        return this.write({ op: 'denied', topic, code: 'permission.denied' })
      if (!this.topics.has(topic) && this.topics.size >= MAX_TOPICS)
        return this.write({ op: 'denied', topic, code: 'rate.limited' })
      try {
        const hubTopic = await options.source.resolve(caller, found.pattern, found.id)
        if (!hubTopic) return this.write({ op: 'denied', topic, code: 'request.not_found' })
        // Subscribed before the snapshot is read: an update in between arrives twice rather than never.
        this.topics.set(topic, { hubTopic, ...found })
        options.hub.subscribe(hubTopic, this)
        this.write({
          op: 'subscribed',
          topic,
          snapshot: await options.source.snapshot(caller, found.pattern, found.id),
        })
      } catch (error) {
        this.unsubscribe(topic)
        if (!isAppError(error)) options.logger.error({ err: error, topic }, 'live subscription failed')
        this.write({ op: 'denied', topic, code: isAppError(error) ? error.code : 'server.error' })
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
          this.write({
            op: 'subscribed',
            topic,
            snapshot: await options.source.snapshot(caller, entry.pattern, entry.id),
          })
        } catch (error) {
          options.logger.warn({ err: error, topic }, 'live snapshot failed')
        }
      }
    }
  }

  return {
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, client => sessions.add(new Session(client)))
    },
    refresh(hubTopics) {
      const set = new Set(hubTopics)
      for (const session of sessions) void session.refresh(set)
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

function loginOf(caller: LiveCaller): string {
  return 'loginId' in caller.actor ? caller.actor.loginId : ''
}

function allowed(caller: LiveCaller, pattern: string): boolean {
  const entry = LIVE_TOPICS.find(t => t.pattern === pattern)
  return (
    entry !== undefined &&
    caller.actor.kind !== 'system' &&
    caller.actor.permissions.has(entry.permission as Permission)
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
