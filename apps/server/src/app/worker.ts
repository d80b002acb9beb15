import { createConsumerRunner } from '../ingest/consumers/consumer-runner.ts'
import { createJournalStream } from '../ingest/consumers/journal-stream.ts'
import { createLiveConsumer } from '../ingest/consumers/live.consumer.ts'
import { createRepliesConsumer } from '../ingest/consumers/replies.consumer.ts'
import { createShadowConsumer } from '../ingest/consumers/shadow.consumer.ts'
import { createStatsConsumer } from '../ingest/consumers/stats.consumer.ts'
import { decodeBatch } from '../ingest/feed.ts'
import type { Database } from '../lib/database.ts'
import type { Logger } from '../lib/log.ts'
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
  database: Database
  live: LiveFeed
  logger: Logger
}

/** Everything that reads the journal. Triggers, subscriptions and firmware join the list when they come. */
export function createWorker({ database, live, logger }: WorkerOptions): Worker {
  const db = database.telemetry
  const runner = createConsumerRunner({
    db,
    logger,
    stream: createJournalStream(db),
    consumers: [
      createRepliesConsumer(changed => live.commandsChanged(changed)),
      createShadowConsumer(),
      createStatsConsumer(devices => live.activated(devices)),
    ],
  })
  const liveConsumer = createLiveConsumer(live)
  let started = false

  return {
    async start() {
      await runner.start()
      started = true
    },
    feed(buffer) {
      const batch = decodeBatch(buffer)
      liveConsumer.feed(batch)
      runner.feed(batch)
    },
    stop: () => runner.stop(),
    ready: () => started,
    async gauges() {
      return Object.fromEntries(
        Object.entries(runner.behind()).map(([consumer, rows]) => [`consumer_${consumer}_behind`, rows]),
      )
    },
  }
}
