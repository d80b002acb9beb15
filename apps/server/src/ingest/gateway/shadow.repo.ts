import type pg from 'pg'
import { laneOf } from '../lanes.port.ts'
import { JournalKind } from '../uplink.ts'

/** [value, ts, quality] of one property. */
type Reading = [value: unknown, ts: number, quality: number]

export interface Shadow {
  reported: Record<string, unknown>
  desired: Record<string, unknown>
  /** Of the wanted state; 0 when nothing was ever wanted. */
  version: number
}

interface ShadowRow {
  device: number
  reported: Record<string, Reading> | null
  desired: Record<string, unknown> | null
  version: number | null
  /** Journal rows that the checkpoint in `latest` does not hold yet, in order. */
  newer: [values: Record<string, unknown>, ts: number][] | null
}

/** Reported and wanted state of many devices. `latest` is a checkpoint of the journal: the rows after it are added. */
export async function shadowsOf(db: pg.Pool, devices: readonly number[]): Promise<Map<number, Shadow>> {
  const result = await db.query<ShadowRow>({
    name: 'shadows',
    text: `select k.device, l.values as reported, s.desired, s.version, (
        select jsonb_agg(jsonb_build_array(j.values, j.ts) order by j.seq) from journal j
        where j.device = k.device and j.lane = k.lane and j.kind = ${JournalKind.property} and not j.late
          and j.seq > coalesce(c.seq, 0) and j.arrived_at >= coalesce(c.arrived_at, '-infinity')
      ) as newer
      from unnest($1::int[], $2::smallint[]) as k (device, lane)
      left join latest l on l.device = k.device
      left join shadow_desired s on s.device = k.device
      left join consumer_cursors c on c.consumer = 'latest' and c.lane = k.lane`,
    values: [devices, devices.map(laneOf)],
  })
  return new Map(result.rows.map(row => [row.device, shadowOf(row)]))
}

function shadowOf(row: ShadowRow): Shadow {
  const readings = new Map(Object.entries(row.reported ?? {}))
  for (const [values, ts] of row.newer ?? []) {
    for (const [property, value] of Object.entries(values)) {
      const known = readings.get(property)
      if (!known || ts >= known[1]) readings.set(property, [value, ts, 0])
    }
  }
  const reported = Object.fromEntries([...readings].map(([property, [value]]) => [property, value]))
  return { reported, desired: row.desired ?? {}, version: row.version ?? 0 }
}
