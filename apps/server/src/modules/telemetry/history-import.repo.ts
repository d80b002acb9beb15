import { runOn, sql } from '../../lib/sql/statement.ts'
import { HOUR_MS, type Readings, type Segment, toSegments } from './segments/segment.ts'
import type { Reader } from './telemetry.snapshot.ts'

export interface ImportedReadings {
  device: number
  property: number
  readings: Readings
}

const ENSURE_PARTITION = sql`select ensure_telemetry_partition($1)`

const INSERT_TELEMETRY_UNMERGED = sql`insert into telemetry_unmerged (hour) select unnest($1::int[]) on conflict (hour) do update set sealed_at = excluded.sealed_at`

/**
 * Stores values of the past beside those that devices report themselves. Segments of imports have negative numbers: of
 * two values with the same time the device's own counts, of two imported ones the later import's. Doing the same part
 * again changes nothing.
 * @param at epoch ms at which the import began
 * @param part number of the part within the import, 0 to 999
 */
export async function storeImported(
  writer: Reader,
  values: readonly ImportedReadings[],
  at: number,
  part: number,
): Promise<void> {
  const segment = Math.trunc(at / 1000) * 1000 + part - Number.MAX_SAFE_INTEGER
  const segments = values.flatMap(({ device, property, readings }) =>
    toSegments({ device, property, segment }, readings),
  )
  const hours = [...new Set(segments.map(({ hour }) => hour))]
  const months = new Map(hours.map(hour => [new Date(hour * HOUR_MS).toISOString().slice(0, 7), hour]))
  for (const hour of months.values()) await runOn(writer, ENSURE_PARTITION, [hour])
  for (let from = 0; from < segments.length; from += AT_ONCE) await insert(writer, segments.slice(from, from + AT_ONCE))
  await runOn(writer, INSERT_TELEMETRY_UNMERGED, [hours.sort((a, b) => a - b)])
}

const AT_ONCE = 1000

const INSERT_SEGMENT = sql`insert into telemetry (segment, device, property, hour, n, vmin, vmax, vsum, slots, body)
  select * from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::float8[], $7::float8[], $8::float8[], $9::bytea[], $10::bytea[])
  on conflict do nothing`

async function insert(writer: Reader, segments: readonly Segment[]): Promise<void> {
  const column = <K extends keyof Segment>(key: K) => segments.map(segment => segment[key])
  await runOn(writer, INSERT_SEGMENT, [
    column('segment'),
    column('device'),
    column('property'),
    column('hour'),
    column('n'),
    column('min'),
    column('max'),
    column('sum'),
    column('slots'),
    column('body'),
  ])
}
