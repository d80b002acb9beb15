import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { connectPatiently } from '../../lib/database/connect-patiently.ts'
import type { Logger } from '../../lib/log.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { ReservedArrivals } from '../arrivals.ts'
import { holdsProperties } from '../uplink.ts'
import { type FlushExtras, flush } from './flush-query.ts'
import { endPredecessor, LANE_LOCK, type LaneOwner, nameOf } from './lane-owner.ts'
import type { LatestCache } from './latest-cache.ts'

const REPLAY_PAGE = 2_000

/** Last row of a lane; seq 0 when there was none yet. */
export interface LanePosition {
  seq: number
  arrivedAt: number
}

/** What identifies a row that may or may not have been committed. */
export interface RowIdentity {
  device: number
  ts: number
}

const OPEN = sql<{ locked: boolean }>`select pg_try_advisory_lock($1, $2) as locked`

const POSITION = sql<{
  seq: number
  at: number
}>`select seq, (extract(epoch from arrived_at) * 1000)::float8 as at from (
    (select seq, arrived_at from journal where lane = $1 order by seq desc limit 1)
    union all (select seq, arrived_at from consumer_cursors where lane = $1 order by seq desc limit 1)
  ) p order by seq desc, arrived_at desc limit 1`

const HOLDS = sql<{
  device: number
  ts: number
}>`select device, ts from journal where lane = $1 and seq between $2 and $3 order by seq`

const LATEST_UP_TO = sql<{
  seq: number
  at: number
}>`select seq, (extract(epoch from arrived_at) * 1000)::float8 as at from consumer_cursors where consumer = 'latest' and lane = $1`

const JOURNAL_SINCE = sql<{
  seq: number
  at: number
  device: number
  kind: number
  quality: number
  ts: number
  values: Record<string, unknown> | null
}>`select seq, (extract(epoch from arrived_at) * 1000)::float8 as at, device, kind, quality, ts, values from journal
  where lane = $1 and seq > $2 and arrived_at >= to_timestamp($3::float8 / 1000) order by seq limit $4`

const DELETE_LATEST_ARRIVALS = sql`delete from latest_arrivals where lane = $1 and until <= $2::float8`

const SELECT_LATEST_ARRIVALS = sql<{
  device: number
  until: number
}>`select device, until from latest_arrivals where lane = $1`

const LOAD_LATEST = sql<{
  device: number
  values: Record<string, [unknown, number, number]> | null
}>`select k.device, l.values from unnest($1::int[]) as k (device) left join latest l on l.device = k.device`.named(
  'lane_load_latest',
)

const ENSURE_PARTITIONS = sql`select ensure_journal_partition(to_timestamp($1::float8))`

/**
 * The one connection of a lane's writer. It holds the lane's advisory lock from its first to its last moment, so while
 * it lives nobody else numbers rows of the lane, and once the lock is held every earlier flush is decided.
 */
export class LaneConnection {
  readonly lost: Promise<void>
  /** Hours since 1970 whose partition is known to be there. */
  private readonly hours = new Set<number>()
  private alive = true
  private onLost: () => void = () => {}

  private constructor(
    private readonly client: pg.Client,
    readonly lane: number,
  ) {
    this.lost = new Promise(resolve => {
      this.onLost = resolve
    })
    const gone = () => {
      this.alive = false
      this.onLost()
    }
    // Both come unasked, when the server stops or ends this backend.
    client.on('error', gone)
    client.on('end', gone)
  }

  get isAlive(): boolean {
    return this.alive
  }

  /** Connects and waits for the lane's lock. @throws when the database cannot be reached or `signal` aborts */
  static async open(
    config: pg.ClientConfig,
    lane: number,
    logger: Logger,
    signal: AbortSignal,
    { watch, owner = null }: { watch?: (client: pg.Client) => void; owner?: LaneOwner | null } = {},
  ): Promise<LaneConnection> {
    const client = await connectPatiently(
      { ...config, application_name: nameOf(lane, owner), keepAlive: true, keepAliveInitialDelayMillis: 5_000 },
      { signal },
    )
    watch?.(client)
    const connection = new LaneConnection(client, lane)
    try {
      // An acknowledgement means committed, whatever the database's default.
      await client.query(
        `set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0;
         select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
      )
      for (let tries = 0; ; tries++) {
        signal.throwIfAborted()
        const { rows } = await runOn(client, OPEN, [LANE_LOCK, lane])
        if (rows[0]!.locked) return connection
        if (owner && tries > 0 && tries % 20 === 0) await endPredecessor(client, lane, owner, logger)
        if (tries === 40) logger.warn({ lane }, 'another process holds this lane, waiting for it')
        await delay(50, undefined, { signal })
      }
    } catch (error) {
      connection.alive = false
      client.end().catch(() => {})
      throw error
    }
  }

  /** Ends the connection and with it the lock. */
  async close(): Promise<void> {
    this.alive = false
    await this.client.end().catch(() => {})
  }

  flush(rows: Buffer | null, extras: FlushExtras | null): Promise<void> {
    return flush(this.client, rows, extras)
  }

  /** The last row. Partitions are dropped only behind every cursor, so a lane whose rows are all gone goes on there. */
  async position(): Promise<LanePosition> {
    const { rows } = await runOn(this.client, POSITION, [this.lane])
    return { seq: Number(rows[0]?.seq ?? 0), arrivedAt: Number(rows[0]?.at ?? 0) }
  }

  /** Whether the rows from `first` on are these: the question after a COMMIT whose reply was lost. */
  async holds(first: number, rows: readonly RowIdentity[]): Promise<boolean> {
    const found = await runOn(this.client, HOLDS, [this.lane, first, first + rows.length - 1])
    return (
      found.rows.length === rows.length &&
      found.rows.every((row, i) => row.device === rows[i]!.device && Number(row.ts) === rows[i]!.ts)
    )
  }

  /** Merges the rows that `latest` does not hold yet into an empty cache. */
  async replayLatest(cache: LatestCache, nowMs: number): Promise<void> {
    const cursor = await runOn(this.client, LATEST_UP_TO, [this.lane])
    let after = Number(cursor.rows[0]?.seq ?? 0)
    const since = Number(cursor.rows[0]?.at ?? 0)
    for (;;) {
      const { rows } = await runOn(this.client, JOURNAL_SINCE, [this.lane, after, since, REPLAY_PAGE])
      for (const row of rows) {
        after = Number(row.seq)
        if (!holdsProperties(row.kind) || row.values === null) continue
        const { device, quality } = row
        cache.apply({ device, quality, ts: Number(row.ts), seq: after, arrivedAt: Number(row.at) }, row.values, nowMs)
      }
      if (rows.length < REPLAY_PAGE) return
    }
  }

  /** Devices whose given times lie beyond this one. What lies before it is of no use to anybody and goes. */
  async arrivalsAhead(arrivedAt: number): Promise<ReservedArrivals> {
    await runOn(this.client, DELETE_LATEST_ARRIVALS, [this.lane, arrivedAt])
    const { rows } = await runOn(this.client, SELECT_LATEST_ARRIVALS, [this.lane])
    return { devices: rows.map(row => row.device), until: rows.map(row => row.until) }
  }

  /** Reads the stored rows of devices whose cached state is not complete. */
  async loadLatest(cache: LatestCache, devices: readonly number[]): Promise<void> {
    const { rows } = await runOn(this.client, LOAD_LATEST, [devices])
    for (const row of rows) cache.complete(row.device, row.values)
  }

  /** Makes sure of the partitions of these hours since 1970. */
  async ensurePartitions(hours: readonly number[]): Promise<void> {
    for (const hour of hours) {
      if (this.hours.has(hour)) continue
      await runOn(this.client, ENSURE_PARTITIONS, [hour * 3_600])
      this.hours.add(hour)
      if (this.hours.size > 48) this.hours.delete(this.hours.values().next().value!)
    }
  }

  hasPartitions(hours: readonly number[]): boolean {
    for (const hour of hours) if (!this.hours.has(hour)) return false
    return true
  }

  /** A partition thought to be there is not. */
  forgetPartitions(): void {
    this.hours.clear()
  }
}
