import type pg from 'pg'
import { createConsumerRunner } from '../ingest/consumers/consumer-runner.ts'
import { createJournalStream } from '../ingest/consumers/journal-stream.ts'
import { createLiveConsumer } from '../ingest/consumers/live.consumer.ts'
import { createOtaConsumer } from '../ingest/consumers/ota.consumer.ts'
import { createPresenceConsumer } from '../ingest/consumers/presence.consumer.ts'
import { createReadBackConsumer } from '../ingest/consumers/read-back.consumer.ts'
import { createRepliesConsumer } from '../ingest/consumers/replies.consumer.ts'
import { createShadowConsumer } from '../ingest/consumers/shadow.consumer.ts'
import { createStatsConsumer } from '../ingest/consumers/stats.consumer.ts'
import { createStoreConsumer } from '../ingest/consumers/store/store.consumer.ts'
import { createSubscriptionsConsumer } from '../ingest/consumers/subscriptions.consumer.ts'
import { decodeBatch } from '../ingest/feed.ts'
import { createMaintenance } from '../ingest/journal/maintenance.ts'
import { systemClock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { openPool } from '../lib/pool.ts'
import type { SubscriptionsModule } from '../modules/subscriptions/index.ts'
import type { LiveFeed } from './live-feed.ts'

export interface Worker {
  start(): Promise<void>
  /** One encoded flush of the gateway. */
  feed(buffer: Buffer): void
  stop(): Promise<void>
  ready(): boolean
  gauges(): Promise<Record<string, number>>
}

export interface WorkerOptions {
  /** How to reach the device path's tables. */
  access: pg.PoolConfig
  live: LiveFeed
  subscriptions: Pick<SubscriptionsModule, 'catalogue' | 'deliverers'>
  logger: Logger
}

/** Everything that reads the journal. Triggers join the list when they come. */
export function createWorker({ access, live, subscriptions, logger }: WorkerOptions): Worker {
  // Its own connections: sealing may hold some for seconds, and reads must not wait for them.
  const db = openPool({ ...access, max: 6 }, error => logger.warn({ err: error }, 'database connection lost'))
  const consumers = [
    createStoreConsumer({ db, clock: systemClock, logger }),
    createRepliesConsumer(changed => live.commandsChanged(changed)),
    createReadBackConsumer(changed => live.commandsChanged(changed)),
    createShadowConsumer(),
    createPresenceConsumer(devices => live.activated(devices)),
    createStatsConsumer(),
    createOtaConsumer(),
    createSubscriptionsConsumer(subscriptions.catalogue, ids => subscriptions.deliverers.wake(ids)),
  ]
  const runner = createConsumerRunner({ db, logger, stream: createJournalStream(db), consumers })
  const maintenance = createMaintenance({
    db,
    clock: systemClock,
    logger,
    consumers: consumers.map(({ name }) => name),
  })
  const liveConsumer = createLiveConsumer(live)
  let started = false

  return {
    async start() {
      await runner.start()
      maintenance.start()
      started = true
    },
    feed(buffer) {
      const batch = decodeBatch(buffer)
      liveConsumer.feed(batch)
      // What devices send before the consumers know where they were, those find in the journal.
      if (started) runner.feed(batch)
    },
    async stop() {
      await maintenance.stop()
      await runner.stop()
      await db.end()
    },
    ready: () => started,
    async gauges() {
      return Object.fromEntries(
        Object.entries(runner.behind()).map(([consumer, rows]) => [`consumer_${consumer}_behind`, rows]),
      )
    },
  }
}
