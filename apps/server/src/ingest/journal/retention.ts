import type pg from 'pg'
import { LANES } from '../../lib/journal/journal-lanes.ts'
import type { Logger } from '../../lib/log.ts'
import { type NoRow, runOn, type Statement, sql } from '../../lib/sql/statement.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

export interface RetentionLimits {
  /** The flight recorder's window: sealed journal rows are kept this long … */
  recorderMs: number
  /** … or as long as all of them together are smaller than this. */
  recorderBytes: number
  /** History is dropped by whole months once it is older. */
  historyDays: number
}

export const RETENTION: RetentionLimits = { recorderMs: DAY_MS, recorderBytes: 2 * 1024 ** 3, historyDays: 400 }

/** A partition that ended this recently may still get rows that were under way. */
const SETTLED_MS = 10 * 60_000

interface JournalPartition {
  name: string
  endsAt: number
  bytes: number
}

/**
 * Drops journal partitions that nobody needs: every consumer is past every row (`store` is one of them, so all is
 * sealed), and the recorder's window is over or its room used up.
 * @param consumers all that read the journal; one without a cursor holds everything
 * @returns names of what was dropped
 */
export async function dropJournalPartitions(
  db: Pick<pg.Pool, 'query'>,
  consumers: readonly string[],
  limits: RetentionLimits,
  nowMs: number,
  logger: Logger,
): Promise<string[]> {
  const cursors = await slowestCursors(db, consumers)
  if (cursors === null) return []
  const finished: JournalPartition[] = []
  for (const partition of await journalPartitions(db)) {
    // Rows are in order of time, so behind a partition that is needed all are needed.
    if (partition.endsAt > nowMs - SETTLED_MS || !(await isBehind(db, partition, cursors))) break
    finished.push(partition)
  }
  let bytes = finished.reduce((sum, partition) => sum + partition.bytes, 0)
  const dropped: string[] = []
  for (const { name, endsAt, bytes: own } of finished) {
    if (endsAt > nowMs - limits.recorderMs && bytes <= limits.recorderBytes) break
    if (!(await drop(db, DROP_JOURNAL_PARTITION, name, logger))) break
    bytes -= own
    dropped.push(name)
  }
  return dropped
}

const DROP_TELEMETRY_PARTITIONS = sql<{
  name: string
}>`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'telemetry'::regclass and c.relname ~ '^telemetry_\\d{6}$' order by 1`

/** Drops the months of history that are older than the retention. @returns names of what was dropped */
export async function dropTelemetryPartitions(
  db: Pick<pg.Pool, 'query'>,
  limits: RetentionLimits,
  nowMs: number,
  logger: Logger,
): Promise<string[]> {
  const { rows } = await runOn(db, DROP_TELEMETRY_PARTITIONS)
  const dropped: string[] = []
  for (const { name } of rows) {
    const month = name.slice('telemetry_'.length)
    const endsAt = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)), 1)
    if (endsAt > nowMs - limits.historyDays * DAY_MS) break
    if (await drop(db, DROP_TELEMETRY_PARTITION, name, logger)) dropped.push(name)
  }
  return dropped
}

const DELETE_DEVICE_EVENTS = sql`delete from device_events where ts < $1`

const DELETE_DEVICE_CONNECTIONS = sql`delete from device_connections where at < to_timestamp($1::float8 / 1000)`

const DELETE_DEVICE_STATS = sql`delete from device_stats where hour < $1`

/** Deletes rows of small tables that are older than the history. */
export async function deleteOldRows(db: Pick<pg.Pool, 'query'>, limits: RetentionLimits, nowMs: number): Promise<void> {
  const oldest = nowMs - limits.historyDays * DAY_MS
  await runOn(db, DELETE_DEVICE_EVENTS, [oldest])
  await runOn(db, DELETE_DEVICE_CONNECTIONS, [oldest])
  await runOn(db, DELETE_DEVICE_STATS, [Math.floor(oldest / HOUR_MS)])
}

const SLOWEST_CURSORS = sql<{
  lane: number
  seq: number
  known: number
}>`select lane, min(seq) as seq, count(*)::int as known from consumer_cursors where consumer = any($1::text[]) group by lane`

/** Lane → position that every consumer has reached; null while one of them has none in some lane. */
async function slowestCursors(
  db: Pick<pg.Pool, 'query'>,
  consumers: readonly string[],
): Promise<Map<number, number> | null> {
  const { rows } = await runOn(db, SLOWEST_CURSORS, [consumers])
  const all = rows.filter(({ known }) => known === consumers.length)
  return all.length === LANES ? new Map(all.map(({ lane, seq }) => [lane, Number(seq)])) : null
}

const JOURNAL_PARTITIONS = sql<{
  name: string
  bytes: number
}>`select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'journal'::regclass and c.relname ~ '^journal_\\d{10}$' order by 1`

async function journalPartitions(db: Pick<pg.Pool, 'query'>): Promise<JournalPartition[]> {
  const { rows } = await runOn(db, JOURNAL_PARTITIONS)
  return rows.map(({ name, bytes }) => ({ name, bytes, endsAt: hourOf(name) + HOUR_MS }))
}

function hourOf(name: string): number {
  const text = name.slice('journal_'.length)
  const [year, month, day, hour] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8), text.slice(8, 10)].map(Number)
  return Date.UTC(year!, month! - 1, day, hour)
}

const IS_BEHIND = sql`select from journal where lane = $1 and seq > $2
  and arrived_at >= to_timestamp($3::float8 / 1000) and arrived_at < to_timestamp($4::float8 / 1000) limit 1`

/** Whether every row of the partition is behind the cursors. Asked of the whole table: its parts have no rights of their own. */
async function isBehind(
  db: Pick<pg.Pool, 'query'>,
  { endsAt }: JournalPartition,
  cursors: ReadonlyMap<number, number>,
): Promise<boolean> {
  for (const [lane, seq] of cursors) {
    const { rowCount } = await runOn(db, IS_BEHIND, [lane, seq, endsAt - HOUR_MS, endsAt])
    if (rowCount) return false
  }
  return true
}

const DROP_JOURNAL_PARTITION = sql`select drop_journal_partition($1)`

const DROP_TELEMETRY_PARTITION = sql`select drop_telemetry_partition($1)`

/** @returns false when somebody was reading: next time */
async function drop(
  db: Pick<pg.Pool, 'query'>,
  statement: Statement<NoRow>,
  name: string,
  logger: Logger,
): Promise<boolean> {
  try {
    await runOn(db, statement, [name])
    logger.info({ partition: name }, 'partition dropped')
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error
    return false
  }
}
