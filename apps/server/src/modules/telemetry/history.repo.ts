import type { AuthorisedDevice } from '../../lib/authorised.ts'
import { positionOf, type Reader } from './telemetry.snapshot.ts'

export const HOUR_MS = 3_600_000
export const SLOT_MS = 300_000

/** One value; of several with the same time the one with the highest rank counts. */
export interface Point {
  ts: number
  value: unknown
}

/** A bucket of numbers: sum and count rather than an average, so that buckets can be merged. */
export interface Bucket {
  ts: number
  n: number
  sum: number
  min: number
  max: number
}

/** Integers of properties. Identifiers that never had a value are absent. */
export async function propertyNums(
  reader: Reader,
  productNum: number,
  identifiers: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await reader.query<{ identifier: string; num: number }>(
    'select identifier, num from product_properties where product_num = $1 and identifier = any($2::text[])',
    [productNum, identifiers],
  )
  return new Map(rows.map(row => [row.identifier, row.num]))
}

/** Values of one property in [from, to): segments and the part of the journal that is not sealed, each time once, oldest first. */
export async function pointsOf(
  reader: Reader,
  device: AuthorisedDevice,
  property: { identifier: string; num: number | undefined },
  range: { from: number; to: number },
  limit?: number,
): Promise<Point[]> {
  const sealed = property.num === undefined ? [] : await sealedPoints(reader, device.num, property.num, range, limit)
  const open = await journalPoints(reader, device, property.identifier, range)
  if (open.length === 0) return sealed
  // What is not sealed came later, so it wins over a sealed value of the same time.
  const merged = new Map<number, unknown>()
  for (const { ts, value } of sealed) merged.set(ts, value)
  for (const { ts, value } of open) merged.set(ts, value)
  return [...merged].map(([ts, value]) => ({ ts, value })).sort((a, b) => a.ts - b.ts)
}

async function sealedPoints(
  reader: Reader,
  device: number,
  property: number,
  { from, to }: { from: number; to: number },
  limit: number | undefined,
): Promise<Point[]> {
  const points: Point[] = []
  const last = Math.floor((to - 1) / HOUR_MS)
  // With a limit the hours are read in growing steps, so that a page of a long range does not read all of it.
  let hour = Math.floor(from / HOUR_MS)
  let step = limit === undefined ? last - hour + 1 : 6
  while (hour <= last) {
    const end = Math.min(last, hour + step - 1)
    const { rows } = await reader.query<{
      hour: number
      offset_ms: number[]
      v: (number | null)[] | null
      t: (string | null)[] | null
    }>(
      'select hour, offset_ms, v, t from telemetry where device = $1 and property = $2 and hour between $3 and $4 order by hour, segment',
      [device, property, hour, end],
    )
    let current = Number.NaN
    let byTime = new Map<number, unknown>()
    const flush = () => {
      for (const [ts, value] of [...byTime].sort((a, b) => a[0] - b[0]))
        if (ts >= from && ts < to) points.push({ ts, value })
      byTime = new Map()
    }
    for (const row of rows) {
      if (row.hour !== current) {
        flush()
        current = row.hour
      }
      const base = row.hour * HOUR_MS
      for (let i = 0; i < row.offset_ms.length; i++)
        byTime.set(base + row.offset_ms[i]!, row.v?.[i] ?? row.t?.[i] ?? null)
    }
    flush()
    if (limit !== undefined && points.length >= limit) break
    hour = end + 1
    step *= 4
  }
  return points
}

async function journalPoints(
  reader: Reader,
  device: AuthorisedDevice,
  identifier: string,
  { from, to }: { from: number; to: number },
): Promise<Point[]> {
  const at = await positionOf(reader, 'store', device.num)
  const { rows } = await reader.query<{ ts: number; value: unknown }>(
    `select ts, values -> $5::text as value from journal
     where device = $1 and lane = $2 and seq > $3 and arrived_at >= coalesce($4::timestamptz, '-infinity') and kind = 1
       and ts >= $6 and ts < $7 and (values -> $5::text) is not null
     order by ts, seq`,
    [device.num, at.lane, at.seq, at.arrivedAt, identifier, from, to],
  )
  return rows
}

/** Five-minute (or hourly) roll-ups of one property from the segments, the unsealed part added. */
export async function rollUpOf(
  reader: Reader,
  device: AuthorisedDevice,
  property: { identifier: string; num: number | undefined },
  range: { from: number; to: number },
  level: 'slot' | 'hour',
): Promise<Bucket[]> {
  const first = Math.floor(range.from / HOUR_MS)
  const last = Math.floor((range.to - 1) / HOUR_MS)
  const buckets: Bucket[] = []
  if (property.num !== undefined) {
    const columns = level === 'hour' ? 'hour, n, vsum, vmin, vmax' : 'hour, slots, slot_n, slot_sum, slot_min, slot_max'
    const { rows } = await reader.query<{
      hour: number
      n: number
      vsum: number | null
      vmin: number
      vmax: number
      slots: number[] | null
      slot_n: number[]
      slot_sum: number[]
      slot_min: number[]
      slot_max: number[]
    }>(
      `select ${columns} from telemetry where device = $1 and property = $2 and hour between $3 and $4 order by hour, segment`,
      [device.num, property.num, first, last],
    )
    for (const row of rows) {
      const base = row.hour * HOUR_MS
      if (level === 'hour') {
        if (row.vsum !== null) buckets.push({ ts: base, n: row.n, sum: row.vsum, min: row.vmin, max: row.vmax })
      } else {
        for (const [i, slot] of (row.slots ?? []).entries()) {
          buckets.push({
            ts: base + slot * SLOT_MS,
            n: row.slot_n[i]!,
            sum: row.slot_sum[i]!,
            min: row.slot_min[i]!,
            max: row.slot_max[i]!,
          })
        }
      }
    }
  }
  for (const { ts, value } of await journalPoints(reader, device, property.identifier, range)) {
    const number = asNumber(value)
    if (number !== null) buckets.push({ ts, n: 1, sum: number, min: number, max: number })
  }
  return buckets.filter(
    bucket => bucket.ts >= range.from - (level === 'hour' ? HOUR_MS : SLOT_MS) && bucket.ts < range.to,
  )
}

/** What a chart can draw of a value: numbers, and switches as 0 and 1. */
export function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return null
}
