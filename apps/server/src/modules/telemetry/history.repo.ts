import { laneOf } from '../../lib/journal/journal-lanes.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { Reader } from './telemetry.snapshot.ts'

/** How fine an answer must be. The coarser, the less is read. */
export type Level = 'raw' | 'slot' | 'hour'

/** A segment as far as it was asked for. */
export interface SegmentRow {
  property: number
  hour: number
  segment: number
  n: number
  vmin: number | null
  vmax: number | null
  vsum: number | null
  slots: Buffer | null
  /** Present where the values themselves are needed. */
  body: Buffer | null
}

/** A journal row that is not sealed yet. */
export interface TailRow {
  ts: number
  quality: number
  values: Record<string, unknown>
}

/** What there is of some properties in a range of time, as of one moment. */
export interface StoredHistory {
  /** In order of hour and segment. */
  segments: SegmentRow[]
  /** In order of arrival; of equal times the last counts, also over every segment. */
  tail: TailRow[]
}

const READ_HISTORY = sql<
  SegmentRow & { ts: number | null; quality: number | null; values: Record<string, unknown> | null }
>`with cursor as (select seq, arrived_at from consumer_cursors where consumer = 'store' and lane = $2),
  tail as materialized (
    select seq, ts, quality, values from journal
    where device = $1 and kind = 1 and ts >= $4 and ts < $5
      and seq > coalesce((select seq from cursor), 0)
      and arrived_at >= coalesce((select arrived_at from cursor), '-infinity')
  ),
  sealed as (
    select *, sum(n) over (partition by property) as total, count(*) over (partition by property, hour) as parts
    from telemetry where device = $1 and property = any($3::int[]) and hour between ($4 / 3600000)::int and (($5 - 1) / 3600000)::int
  )
  select property, hour, segment, n, vmin, vmax, vsum,
    case when $6 = 'slot' then slots end as slots,
    case when $6 = 'raw' or total <= $7 or parts > 1 or vsum is null or ($6 = 'slot' and slots is null)
      or hour in (select ts / 3600000 from tail) then body end as body,
    null::bigint as ts, null::smallint as quality, null::json as values
  from sealed
  union all
  select null, null, seq, null, null, null, null, null, null, ts, quality, values from tail`.named('telemetry-history')

/**
 * Segments and the unsealed rest in one statement, that is in one snapshot: sealing moves rows from one to the other.
 * Roll-ups are read where an hour is one segment; where several segments or unsealed rows may hold the same time twice,
 * the values are read themselves.
 * @param range epoch ms, `to` not included
 * @param fewest so few values of a property are always read themselves
 */
export async function readHistory(
  reader: Reader,
  device: AuthorisedDevice,
  properties: readonly { num: number | undefined }[],
  range: { from: number; to: number },
  level: Level,
  fewest: number,
): Promise<StoredHistory> {
  const { rows } = await runOn(reader, READ_HISTORY, [
    device.num,
    laneOf(device.num),
    properties.flatMap(({ num }) => num ?? []),
    range.from,
    range.to,
    level,
    fewest,
  ])
  const segments: SegmentRow[] = []
  const tail: (TailRow & { seq: number })[] = []
  for (const row of rows) {
    if (row.values === null) segments.push(row)
    else tail.push({ seq: row.segment, ts: row.ts!, quality: row.quality ?? 0, values: row.values })
  }
  segments.sort((a, b) => a.hour - b.hour || a.segment - b.segment)
  tail.sort((a, b) => a.seq - b.seq)
  return { segments, tail }
}

const END_OF_PAGE = sql<{ end: number | null }>`select min(hour) as end from (
    select hour, sum(n) over (order by hour) as upto from telemetry
    where device = $1 and property = $2 and hour between ($3::bigint / 3600000 + 1)::int and (($4::bigint - 1) / 3600000)::int
  ) h where upto >= $5`

/**
 * End of the range (epoch ms, not included) that holds at least `limit` sealed values of a property from `from` on, if
 * there are that many; else `to`. Counts only, no values are read.
 */
export async function endOfPage(
  reader: Reader,
  device: AuthorisedDevice,
  property: number,
  range: { from: number; to: number },
  limit: number,
): Promise<number> {
  const { rows } = await runOn(reader, END_OF_PAGE, [device.num, property, range.from, range.to, limit])
  const end = rows[0]?.end
  return end === null || end === undefined ? range.to : Math.min(range.to, (end + 1) * 3_600_000)
}
