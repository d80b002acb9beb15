import type pg from 'pg'
import { inBackground } from '../../lib/background.ts'
import type { Logger } from '../../lib/log.ts'
import type { LaneBatch } from '../lanes.port.ts'
import type { Stream } from '../stream.port.ts'
import type { Consumer } from './consumer.ts'
import { ConsumerLane } from './consumer-lane.ts'

/** A flush that the feed lost and nothing followed is found after two looks. */
const HEADS_EVERY_MS = 1_000

export interface ConsumerRunner {
  start(): Promise<void>
  feed(batch: LaneBatch): void
  stop(): Promise<void>
  /** Rows each consumer has still to see, as far as the last look at the lanes' ends tells. */
  behind(): Record<string, number>
}

/** Runs consumers over all lanes, each with a cursor of its own: one that is slow or stuck delays no other. */
export function createConsumerRunner(options: {
  consumers: readonly Consumer[]
  stream: Stream
  db: pg.Pool
  logger: Logger
  headsEveryMs?: number
}): ConsumerRunner {
  const { consumers, stream, db, logger } = options
  const lanes = new Map(
    stream.lanes.map(lane => [
      lane,
      consumers.map(consumer => ({ consumer, reader: new ConsumerLane(consumer, lane, stream, db, logger) })),
    ]),
  )
  const heads = new Map<number, number>()
  let timer: NodeJS.Timeout | null = null
  let stopped = false

  async function look(): Promise<void> {
    try {
      for (const [lane, head] of await stream.heads()) {
        heads.set(lane, head.seq)
        for (const { reader } of lanes.get(lane) ?? []) reader.head(head)
      }
    } catch (error) {
      logger.debug({ err: error }, 'the ends of the lanes could not be read')
    }
    if (!stopped)
      timer = setTimeout(
        () => inBackground('reading the ends of the lanes', look()),
        options.headsEveryMs ?? HEADS_EVERY_MS,
      )
  }

  return {
    async start() {
      await Promise.all([...lanes.values()].flat().map(({ reader }) => reader.start()))
      await look()
    },
    feed(batch) {
      heads.set(batch.lane, Math.max(heads.get(batch.lane) ?? 0, batch.last))
      for (const { reader } of lanes.get(batch.lane) ?? []) reader.feed(batch)
    },
    async stop() {
      stopped = true
      if (timer) clearTimeout(timer)
      await Promise.all([...lanes.values()].flat().map(({ reader }) => reader.stop()))
    },
    behind() {
      const result: Record<string, number> = {}
      for (const [lane, readers] of lanes)
        for (const { consumer, reader } of readers)
          result[consumer.name] = (result[consumer.name] ?? 0) + Math.max(0, (heads.get(lane) ?? 0) - reader.seq)
      return result
    },
  }
}
