import type { Level } from './history.repo.ts'
import type { Bucket } from './history.ts'
import { HOUR_MS } from './segments/segment.ts'
import { SLOT_MS } from './segments/slots.ts'

/** How a range of time is divided for a chart. */
export interface Division {
  level: Level
  /** Width of a column, ms. */
  resolutionMs: number
  /** The range widened to whole columns where roll-ups are read: they cannot tell what lies beyond an edge. */
  from: number
  to: number
}

const UNITS = { hour: HOUR_MS, slot: SLOT_MS }

/**
 * Coarsest level whose resolution still gives the asked number of points, in columns aligned to the clock, so that a
 * chart does not flicker while it moves.
 * @param range epoch ms, `to` not included
 */
export function divide({ from, to }: { from: number; to: number }, points: number): Division {
  const wanted = (to - from) / points
  const level: Level = wanted >= HOUR_MS ? 'hour' : wanted >= SLOT_MS ? 'slot' : 'raw'
  if (level === 'raw')
    return { level, from, to, resolutionMs: Math.max(1, Math.ceil((to - from) / Math.max(points - 1, 1))) }
  const unit = UNITS[level]
  // Columns are cut at the clock's marks, so there may be more of them than fit into the range.
  for (let resolutionMs = Math.ceil(wanted / unit) * unit; ; resolutionMs += unit) {
    const start = Math.floor(from / resolutionMs) * resolutionMs
    const end = Math.ceil(to / resolutionMs) * resolutionMs
    if ((end - start) / resolutionMs <= Math.max(points, 2)) return { level, resolutionMs, from: start, to: end }
  }
}

/** Adds buckets up to columns: [ts, average, min, max]. */
export function columns(
  buckets: readonly Bucket[],
  { resolutionMs, from, to }: Division,
): [number, number, number, number][] {
  const merged = new Map<number, Bucket>()
  for (const bucket of buckets) {
    if (bucket.ts < from || bucket.ts >= to) continue
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
