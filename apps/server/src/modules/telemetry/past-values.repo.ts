import { laneOf } from '../../lib/journal/journal-lanes.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { SegmentRow, StoredHistory, TailRow } from './history.repo.ts'
import type { Reader } from './telemetry.snapshot.ts'

/**
 * Of each property the two last hours up to the moment that hold values: the hour of the moment itself may hold later
 * ones only, then the one before it ends with the value that is asked for.
 */
const UP_TO = sql<
  Pick<SegmentRow, 'segment'> & {
    property: number | null
    hour: number | null
    n: number | null
    body: Buffer | null
    ts: number | null
    quality: number | null
    values: Record<string, unknown> | null
  }
>`with cursor as (select seq, arrived_at from consumer_cursors where consumer = 'store' and lane = $2),
  tail as (
    select seq, ts, quality, values from journal
    where device = $1 and kind = 1 and ts >= $4 and ts <= $5
      and seq > coalesce((select seq from cursor), 0)
      and arrived_at >= coalesce((select arrived_at from cursor), '-infinity')
  ),
  hours as (
    select w.property, h.hour from unnest($3::int[]) as w (property) cross join lateral (
      select distinct t.hour from telemetry t
      where t.device = $1 and t.property = w.property and t.hour between ($4 / 3600000)::int and ($5 / 3600000)::int
      order by t.hour desc limit 2) h
  )
  select t.property, t.hour, t.segment, t.n, t.body, null::bigint as ts, null::smallint as quality, null::json as values
  from hours h join telemetry t on t.device = $1 and t.property = h.property and t.hour = h.hour
  union all
  select null, null, seq, null, null, ts, quality, values from tail`.named('telemetry-up-to')

/** What the last values at or before a moment are among. @param from epoch ms; nothing before it is read */
export async function historyUpTo(
  reader: Reader,
  device: AuthorisedDevice,
  properties: readonly { num: number | undefined }[],
  { from, ts }: { from: number; ts: number },
): Promise<StoredHistory> {
  const { rows } = await runOn(reader, UP_TO, [
    device.num,
    laneOf(device.num),
    properties.flatMap(({ num }) => num ?? []),
    from,
    ts,
  ])
  const segments: SegmentRow[] = []
  const tail: (TailRow & { seq: number })[] = []
  for (const row of rows) {
    if (row.values !== null) tail.push({ seq: row.segment, ts: row.ts!, quality: row.quality ?? 0, values: row.values })
    else
      segments.push({
        property: row.property!,
        hour: row.hour!,
        segment: row.segment,
        n: row.n!,
        vmin: null,
        vmax: null,
        vsum: null,
        slots: null,
        body: row.body,
      })
  }
  segments.sort((a, b) => a.hour - b.hour || a.segment - b.segment)
  tail.sort((a, b) => a.seq - b.seq)
  return { segments, tail }
}
