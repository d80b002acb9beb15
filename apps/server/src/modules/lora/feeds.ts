import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground } from '../../lib/background.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { Clients } from './clients.ts'
import * as connections from './connections.repo.ts'
import { eventOf } from './events.ts'
import type { Feed, FeedFactory } from './feed.port.ts'
import { faultOf } from './sync.ts'
import type { UplinksService } from './uplinks.service.ts'

/** Keeps one subscriber at the MQTT broker of every connection that has one. */
export interface Feeds {
  start(): void
  stop(): Promise<void>
  /** Opens and closes subscribers after changes of connections. */
  tick(): Promise<void>
}

export interface FeedsDeps {
  database: Database
  clients: Clients
  feed: FeedFactory
  uplinks: Pick<UplinksService, 'accept'>
  logger: Logger
  now(): number
}

/** Interval at which a process renews its lease on a broker; the lease ends after four intervals. */
const TICK_MS = 5_000
const AGAIN_MS = 1_000

interface Open {
  connection: connections.ConnectionRow
  feed: Feed
  closing: AbortController
}

export function createFeeds(deps: FeedsDeps): Feeds {
  const { database, clients, logger } = deps
  /** Identifies this process in leases. */
  const holder = randomUUID()
  const open = new Map<string, Open>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> = Promise.resolve()
  let stopped = true

  const note = (id: string, state: connections.ConnectionRow['mqttState'], fault: connections.ConnectionFault | null) =>
    inBackground(
      'noting how a broker of ChirpStack is listened to',
      database.withSystemScope('lora', scope => connections.noteFeed(scope, id, state, fault, new Date(deps.now()))),
    )

  /** Drops an event that cannot be read; tries any other again until it is stored, or leaves it to the broker. */
  async function take(
    connection: connections.ConnectionRow,
    devEui: string,
    name: string,
    body: unknown,
    closing: AbortSignal,
  ): Promise<void> {
    const event = eventOf(body)
    // The broker carries the events of all tenants of the network server.
    if (event && event.remoteTenantId !== '' && event.remoteTenantId !== connection.remoteTenantId.toLowerCase()) return
    for (;;) {
      try {
        if (event?.devEui !== devEui) throw new AppError('lora_event.unreadable')
        await deps.uplinks.accept(connection, name, body, closing)
        return
      } catch (error) {
        if (error instanceof AppError && error.code === 'lora_event.unreadable') {
          logger.warn({ connection: connection.id, devEui, event: name }, 'an event of ChirpStack could not be read')
          return
        }
        // Without an acknowledgement the broker sends the event to the next subscriber.
        if (closing.aborted) throw error
        logger.error({ err: error }, 'an event of ChirpStack was not stored and is tried again')
      }
      await sleep(AGAIN_MS, undefined, { ref: false })
    }
  }

  function listen(connection: connections.ConnectionRow): void {
    const { id, mqtt } = connection
    const closing = new AbortController()
    const feed = deps.feed(
      { ...mqtt!, password: clients.secretsOf(connection).mqttPassword ?? '', clientId: `thingwright-${id}` },
      connection.simulated,
      {
        connected: () => note(id, 'connected', null),
        failed: error => note(id, 'failed', faultOf(error)),
        event: (devEui, name, body) => take(connection, devEui, name, body, closing.signal),
        unreadable: (topic, reason) =>
          logger.warn({ connection: id, topic, reason }, 'a message of the broker is no event of ChirpStack 4'),
      },
    )
    open.set(id, { connection, feed, closing })
  }

  async function close(id: string): Promise<void> {
    const known = open.get(id)
    if (!known) return
    open.delete(id)
    known.closing.abort()
    await known.feed.close()
  }

  async function tick(): Promise<void> {
    const all = await database.withSystemScope('lora', connections.list)
    const wanted = new Map(all.filter(({ mqtt, state }) => mqtt && state !== 'disabled').map(row => [row.id, row]))
    for (const [id, { connection }] of [...open])
      if (wanted.get(id)?.version !== connection.version) {
        await close(id)
        if (!wanted.has(id)) await database.withSystemScope('lora', scope => connections.letFeedGo(scope, id, holder))
      }
    for (const [id, connection] of wanted) {
      if (stopped) return
      const mine = await database.withSystemScope('lora', scope => connections.holdFeed(scope, id, holder))
      if (!mine) await close(id)
      else if (!open.has(id)) listen(connection)
    }
  }

  function again(): void {
    if (stopped) return
    running = tick()
      .catch((error: Error) => logger.error({ err: error }, 'the brokers of ChirpStack were not looked at'))
      .then(() => {
        if (stopped) return
        timer = setTimeout(again, TICK_MS)
        timer.unref()
      })
  }

  return {
    tick: () => {
      stopped = false
      return tick()
    },
    start() {
      stopped = false
      again()
    },
    async stop() {
      stopped = true
      if (timer) clearTimeout(timer)
      await running
      const ids = [...open.keys()]
      await Promise.all(ids.map(close))
      // Ends the leases, so that the next process need not wait for their end.
      if (ids.length > 0)
        await database.withSystemScope('lora', async scope => {
          for (const id of ids) await connections.letFeedGo(scope, id, holder)
        })
    },
  }
}
