import type pg from 'pg'
import { runOn, sql } from '../sql/statement.ts'
import { LANES } from './journal-lanes.ts'

/** [value, ts in epoch ms, quality 0 good, 1 uncertain, 2 bad] of one property. */
export type Reading = [value: unknown, ts: number, quality: number]

interface Row {
  device: number
  stored: Record<string, Reading> | null
  tail: { ts: number; quality: number; values: Record<string, unknown> }[] | null
}

const READ_LATEST_VALUES = sql<Row>`select k.device, l.values as stored, t.tail from unnest($1::int[]) as k (device)
  left join latest l on l.device = k.device
  left join lateral (
    select json_agg(json_build_object('ts', j.ts, 'quality', j.quality, 'values', j.values) order by j.seq) as tail
    from journal j
    where j.device = k.device and j.kind in (1, 7)
      and j.seq > coalesce((select max(seq) from consumer_cursors where consumer = 'latest' and lane = k.device % $2), 0)
      and j.arrived_at >= coalesce((select max(arrived_at) from consumer_cursors where consumer = 'latest' and lane = k.device % $2), '-infinity')
  ) t on true
  where l.device is not null or t.tail is not null`.named('latest-values')

/**
 * The reported state of devices: their rows of `latest`, which is a checkpoint some seconds old, and what the journal
 * holds after it, merged as the lanes merge it: per property the newer time wins, of equal times the later row. One
 * statement, so one snapshot. A device that never reported is absent.
 * @param db a connection of the telemetry role
 */
export async function readLatestValues(
  db: Pick<pg.ClientBase, 'query'>,
  devices: readonly number[],
): Promise<Map<number, Map<string, Reading>>> {
  const { rows } = await runOn(db, READ_LATEST_VALUES, [devices, LANES])
  const result = new Map<number, Map<string, Reading>>()
  for (const row of rows) {
    const merged = new Map<string, Reading>(Object.entries(row.stored ?? {}))
    for (const { ts, quality, values } of row.tail ?? []) {
      for (const [property, value] of Object.entries(values)) {
        const before = merged.get(property)
        if (!before || ts >= before[1]) merged.set(property, [value, ts, quality])
      }
    }
    result.set(row.device, merged)
  }
  return result
}
