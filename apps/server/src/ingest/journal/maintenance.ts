import type pg from 'pg'
import { inBackground } from '../../lib/background.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import { compactHours } from './compaction.ts'
import { deleteCompanyHistory, recorderLimits } from './company-retention.ts'
import { deletePropertyHistory } from './property-retention.ts'
import {
  deleteOldRows,
  dropJournalPartitions,
  dropTelemetryPartitions,
  RETENTION,
  type RetentionLimits,
} from './retention.ts'

export interface MaintenanceOptions {
  db: pg.Pool
  clock: Clock
  logger: Logger
  /** Names of all consumers with cursors. */
  consumers: readonly string[]
  limits?: Partial<RetentionLimits>
  everyMs?: number
}

export interface Maintenance {
  start(): void
  /** One round; resolves when it is done. Of several processes one does it. */
  run(): Promise<void>
  stop(): Promise<void>
}

/** Held by the process whose round it is. A backup holds it too: what it copies must not be dropped meanwhile. */
export const MAINTENANCE_LOCK = 7303
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Late data and the sealing of an hour come in its first minutes; an hour is merged once when it is left alone. */
const MERGE_AFTER_HOURS = 1

const TAKE_TURN = sql<{ mine: boolean }>`select pg_try_advisory_lock($1) as mine`

const LOCK = sql`select pg_advisory_unlock($1)`

/** Keeps the device path's tables in bounds: drops what is over, merges what was sealed in pieces. */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { db, clock, logger } = options
  const limits = { ...RETENTION, ...options.limits }
  // The lanes' own cursor: rows behind it are needed to rebuild latest values.
  const consumers = [...options.consumers, 'latest']
  const abort = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let cleanedAt = 0

  async function round(): Promise<void> {
    let taken: pg.PoolClient | undefined
    let broken: Error | undefined
    try {
      const client = await db.connect()
      taken = client
      const { rows } = await runOn(client, TAKE_TURN, [MAINTENANCE_LOCK])
      if (!rows[0]!.mine) return
      try {
        const now = clock.now()
        await attempt('the journal', async () =>
          dropJournalPartitions(client, consumers, await recorderLimits(client, limits), now, logger),
        )
        await attempt('history', () => dropTelemetryPartitions(client, limits, now, logger))
        await attempt('segments', () => compactHours(db, Math.floor(now / HOUR_MS) - MERGE_AFTER_HOURS, abort.signal))
        if (now - cleanedAt >= DAY_MS) {
          cleanedAt = now
          await attempt('old rows', () => deleteOldRows(client, limits, now))
          await attempt('history of companies', () => deleteCompanyHistory(client, limits, now))
          await attempt('history of properties', () => deletePropertyHistory(client, limits, now))
        }
      } finally {
        await runOn(client, LOCK, [MAINTENANCE_LOCK])
      }
    } catch (error) {
      broken = error as Error
      logger.warn({ err: error }, 'maintenance had no database')
    } finally {
      taken?.release(broken)
    }
  }

  async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => logger.warn({ err: error, what }, 'maintenance failed, later again'))
  }

  function run(): Promise<void> {
    running ??= round().finally(() => {
      running = null
    })
    return running
  }

  return {
    run,
    start() {
      timer = setInterval(() => inBackground('maintenance of the journal', run()), options.everyMs ?? 60_000)
      timer.unref()
    },
    async stop() {
      abort.abort()
      if (timer) clearInterval(timer)
      await running
    },
  }
}
