import type pg from 'pg'
import { createConsumerRunner } from '../ingest/consumers/consumer-runner.ts'
import { createJournalStream } from '../ingest/consumers/journal-stream.ts'
import { createLiveConsumer, type LiveReceiver } from '../ingest/consumers/live.consumer.ts'
import { createTriggerReader, TRIGGERS } from '../ingest/consumers/triggers/trigger-reader.ts'
import { decodeBatch } from '../ingest/feed.ts'
import { createMaintenance } from '../ingest/journal/maintenance.ts'
import { systemClock } from '../lib/clock.ts'
import { openPool } from '../lib/database/pool.ts'
import type { TriggersModule } from '../modules/triggers/index.ts'
import { type ConsumerNeeds, journalConsumers } from './consumers.ts'

export interface Worker {
  start(): Promise<void>
  /** One encoded flush of the gateway. */
  feed(buffer: Buffer): void
  stop(): Promise<void>
  ready(): boolean
  gauges(): Promise<Record<string, number>>
  /** Reads changed triggers, and buttons, calls and failed commands, without waiting for the next tick. */
  lookAtTriggers(): void
}

export interface WorkerOptions extends Omit<ConsumerNeeds, 'db'> {
  /** How to reach the device path's tables. */
  access: pg.PoolConfig
  live: LiveReceiver
  triggers: Pick<TriggersModule, 'catalogue'>
}

/** Everything that reads the journal. */
export function createWorker({ access, live, logger, triggers, ...needs }: WorkerOptions): Worker {
  // Its own connections: sealing may hold some for seconds, and reads must not wait for them.
  const db = openPool({ ...access, max: 6 }, error => logger.warn({ err: error }, 'database connection lost'))
  const consumers = journalConsumers({ db, logger, ...needs })
  const stream = createJournalStream(db)
  const runner = createConsumerRunner({ db, logger, stream, consumers })
  const reader = createTriggerReader({
    catalogue: triggers.catalogue,
    stream,
    db,
    tell: needs.tell,
    logger,
    now: () => systemClock.now(),
  })
  const maintenance = createMaintenance({
    db,
    clock: systemClock,
    logger,
    consumers: [...consumers.map(({ name }) => name), TRIGGERS],
  })
  const liveConsumer = createLiveConsumer(live)
  let started = false

  return {
    async start() {
      await runner.start()
      await reader.start()
      maintenance.start()
      started = true
    },
    feed(buffer) {
      const batch = decodeBatch(buffer)
      liveConsumer.feed(batch)
      // What devices send before the consumers know where they were, those find in the journal.
      if (!started) return
      runner.feed(batch)
      reader.feed(batch)
    },
    async stop() {
      await maintenance.stop()
      await reader.stop()
      await runner.stop()
      await db.end()
    },
    ready: () => started,
    lookAtTriggers: () => reader.look(),
    async gauges() {
      return Object.fromEntries(
        Object.entries({ ...runner.behind(), [TRIGGERS]: reader.behind() }).map(([consumer, rows]) => [
          `consumer_${consumer}_behind`,
          rows,
        ]),
      )
    },
  }
}
