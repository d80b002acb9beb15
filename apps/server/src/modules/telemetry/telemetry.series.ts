import { asNumber, type Bucket, HOUR_MS, type Point, SLOT_MS } from './history.repo.ts'

/** Coarsest level whose resolution still gives the asked number of points; raw values otherwise. */
export function levelFor(rangeMs: number, points: number): 'raw' | 'slot' | 'hour' {
  const wanted = rangeMs / points
  if (wanted >= HOUR_MS) return 'hour'
  return wanted >= SLOT_MS ? 'slot' : 'raw'
}

/** Width of the buckets of a chart: a multiple of what the level can tell apart. */
export function resolutionFor(rangeMs: number, points: number, level: 'raw' | 'slot' | 'hour'): number {
  const unit = level === 'hour' ? HOUR_MS : level === 'slot' ? SLOT_MS : 1
  return Math.max(unit, Math.ceil(rangeMs / points / unit) * unit)
}

export function toBuckets(points: readonly Point[]): Bucket[] {
  const buckets: Bucket[] = []
  for (const { ts, value } of points) {
    const number = asNumber(value)
    if (number !== null) buckets.push({ ts, n: 1, sum: number, min: number, max: number })
  }
  return buckets
}

/** Merges buckets into columns of one width, aligned to the clock so that a chart does not flicker when it moves: [ts, average, min, max]. */
export function columns(buckets: readonly Bucket[], resolutionMs: number): [number, number, number, number][] {
  const merged = new Map<number, Bucket>()
  for (const bucket of buckets) {
    const ts = Math.floor(bucket.ts / resolutionMs) * resolutionMs
    const known = merged.get(ts)
    if (known) {
      known.n += bucket.n
      known.sum += bucket.sum
      known.min = Math.min(known.min, bucket.min)
      known.max = Math.max(known.max, bucket.max)
    } else merged.set(ts, { ...bucket, ts })
  }
  return [...merged.values()].sort((a, b) => a.ts - b.ts).map(({ ts, n, sum, min, max }) => [ts, sum / n, min, max])
}
