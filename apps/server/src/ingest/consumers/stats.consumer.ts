import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { JournalRow } from '../lanes.port.ts'
import { continues, isMessage } from '../message-count.ts'
import { isPart } from '../stages/refusals.ts'
import { JournalKind } from '../uplink.ts'
import type { Consumer, LaneConsumer } from './consumer.ts'
import { Pace, pieces } from './pace.ts'

/** Refused messages kept per product. */
const KEPT_FRAMES = 100
/** Refused messages are looked for by the person who just sent one; counts can wait. */
const REFUSED_SOON_MS = 250
/** A row a device and hour: with many devices this is most of what the database does for a message, so it is done seldom. */
const COUNTS_EVERY_MS = 15_000
/** More refused messages than this are written at once, so that a flood of them does not fill memory. */
const MANY_REFUSED = 500
const HOUR_MS = 3_600_000
/** First key of the advisory locks of products' refused messages. */
const LOCK = 7304

interface Count {
  device: number
  hour: number
  messages: number
  refused: number
}

/** Counts messages per device and hour, and keeps the last refused messages of every product. */
export function createStatsConsumer(): Consumer {
  return { name: 'stats', open: lane => new StatsLane(lane) }
}

class StatsLane implements LaneConsumer {
  readonly writesOnStop = true
  private counts = new Map<number, Count>()
  /** Counts of hours that ended while they waited. */
  private ended: Count[] = []
  private refused: JournalRow[] = []
  private dueAt: number | null = null

  constructor(private readonly lane: number) {}

  take(rows: readonly JournalRow[]): void {
    let before: JournalRow | undefined
    for (const row of rows) {
      const isContinued = continues(before, row)
      before = row
      if (isContinued) continue
      if (!isMessage(row.kind) && row.kind !== JournalKind.refused) continue
      const count = this.countOf(row.device, Math.floor(row.arrivedAt / HOUR_MS))
      if (row.kind === JournalKind.refused) {
        // Values that were left out of a message are no message of their own.
        if (!isPart(row.values)) count.refused++
        this.refused.push(row)
        this.waitAtMost(this.refused.length >= MANY_REFUSED ? 0 : REFUSED_SOON_MS)
      } else {
        count.messages++
        if (this.dueAt === null) this.waitAtMost(COUNTS_EVERY_MS)
      }
    }
  }

  dueInMs(): number | null {
    return this.dueAt === null ? null : Math.max(0, this.dueAt - performance.now())
  }

  async write(client: pg.ClientBase): Promise<void> {
    const counts = [...this.ended, ...this.counts.values()].sort((a, b) => a.device - b.device || a.hour - b.hour)
    const pace = new Pace()
    for (const piece of pieces(counts)) {
      await writeCounts(client, piece)
      if (piece.length < counts.length) await pace.rest()
    }
    if (this.refused.length > 0) await writeRefused(client, this.lane, this.refused)
  }

  written(): void {
    this.reset()
  }

  reset(): void {
    this.counts = new Map()
    this.ended = []
    this.refused = []
    this.dueAt = null
  }

  private countOf(device: number, hour: number): Count {
    const known = this.counts.get(device)
    if (known?.hour === hour) return known
    if (known) this.ended.push(known)
    const count = { device, hour, messages: 0, refused: 0 }
    this.counts.set(device, count)
    return count
  }

  private waitAtMost(ms: number): void {
    const at = performance.now() + ms
    if (this.dueAt === null || at < this.dueAt) this.dueAt = at
  }
}

const WRITE_COUNTS = sql`insert into device_stats (device, hour, messages, refused)
  select device, hour, sum(messages), sum(refused) from unnest($1::int[], $2::int[], $3::int[], $4::int[]) as c (device, hour, messages, refused)
  group by device, hour order by device, hour
  on conflict (device, hour) do update set messages = device_stats.messages + excluded.messages, refused = device_stats.refused + excluded.refused`.named(
  'stats-count',
)

async function writeCounts(client: pg.ClientBase, counts: readonly Count[]): Promise<void> {
  await runOn(client, WRITE_COUNTS, [
    counts.map(c => c.device),
    counts.map(c => c.hour),
    counts.map(c => c.messages),
    counts.map(c => c.refused),
  ])
}

const INSERT_REFUSED_FRAMES = sql<{ product: number }>`with frames as (
    insert into refused_frames (product, device, at, lane, seq, reason, detail, bytes)
    select d.product_num, f.device, f.at, $1, f.seq, f.reason, f.detail, f.bytes
    from unnest($2::int[], $3::timestamptz[], $4::bigint[], $5::text[], $6::jsonb[], $7::bytea[]) as f (device, at, seq, reason, detail, bytes)
    join devices d on d.num = f.device order by f.seq
    on conflict (lane, seq) do nothing returning product)
  select distinct product from frames order by product`.named('stats-refused')

const WRITE_REFUSED_LOCK = sql`select pg_advisory_xact_lock($1, $2)`.named('stats-refused-lock')

const DELETE_REFUSED_FRAMES =
  sql`delete from refused_frames where id in (select id from refused_frames where product = $1 order by id desc offset $2)`.named(
    'stats-refused-trim',
  )

async function writeRefused(client: pg.ClientBase, lane: number, refused: readonly JournalRow[]): Promise<void> {
  const { rows: products } = await runOn(client, INSERT_REFUSED_FRAMES, [
    lane,
    refused.map(row => row.device),
    refused.map(row => new Date(row.arrivedAt)),
    refused.map(row => row.seq),
    refused.map(row => row.refusedReason ?? 'not_storable'),
    refused.map(row => row.values ?? '{}'),
    refused.map(row => row.raw),
  ])
  for (const { product } of products) {
    // Two lanes that delete the same rows in different orders would wait for each other.
    await runOn(client, WRITE_REFUSED_LOCK, [LOCK, product])
    await runOn(client, DELETE_REFUSED_FRAMES, [product, KEPT_FRAMES])
  }
}
