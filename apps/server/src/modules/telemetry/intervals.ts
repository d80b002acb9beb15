import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { readHistory } from './history.repo.ts'
import { bucketsOf } from './history.ts'
import { HOUR_MS } from './segments/segment.ts'

/** What a device measured within one interval. */
export interface IntervalCell {
  n: number
  sum: number
  min: number
  max: number
  /** The latest value; null where it was not asked for. */
  last: number | null
}

/** A property of a device, interval by interval; null: nothing was measured. */
export interface IntervalSeries {
  identifier: string
  title: string
  cells: (IntervalCell | null)[]
}

export interface IntervalsQuery {
  identifiers: readonly string[]
  /** Beginnings of the intervals and the end of the last one, epoch ms at multiples of five minutes. */
  edges: readonly number[]
  /** The latest value of each interval is needed: the values themselves are read instead of their sums. */
  last: boolean
}

interface Known {
  device: Parameters<typeof readHistory>[1]
  properties: readonly { identifier: string; num: number | undefined; title: string }[]
  /** Earlier ones are not for the caller. */
  from: number
}

/** One stretch that is read at once, ms. */
const STEP_MS = 24 * HOUR_MS

/** Sums up values by intervals, one stretch of time after the other. @param known what the caller may read of the device */
export async function intervalsOf(
  { telemetry }: Pick<Database, 'telemetry'>,
  known: Known,
  { edges, last }: IntervalsQuery,
): Promise<IntervalSeries[]> {
  const series = known.properties.map(({ identifier, title }) => ({
    identifier,
    title,
    cells: new Array<IntervalCell | null>(Math.max(0, edges.length - 1)).fill(null),
    latest: new Array<number>(Math.max(0, edges.length - 1)).fill(0),
  }))
  const end = edges.at(-1) ?? 0
  const begin = Math.max(edges[0] ?? 0, known.from)
  for (let from = begin; from < end; ) {
    const part = { from, to: Math.min(end, (Math.floor(from / STEP_MS) + 1) * STEP_MS) }
    const history = await readHistory(telemetry, known.device, known.properties, part, last ? 'raw' : 'slot', 0)
    for (const [place, property] of known.properties.entries()) {
      const { cells, latest } = series[place]!
      for (const { ts, n, sum, min, max } of bucketsOf(history, property)) {
        if (ts < part.from || ts >= part.to) continue
        const at = placeOf(edges, ts)
        const cell = cells[at]
        if (!cell) cells[at] = { n, sum, min, max, last: last ? sum : null }
        else {
          cell.n += n
          cell.sum += sum
          cell.min = Math.min(cell.min, min)
          cell.max = Math.max(cell.max, max)
          if (last && ts >= latest[at]!) cell.last = sum
        }
        if (ts >= latest[at]!) latest[at] = ts
      }
    }
    from = part.to
  }
  return series.map(({ latest: _, ...rest }) => rest)
}

/** The interval that a moment lies in, by halving. */
function placeOf(edges: readonly number[], ts: number): number {
  let low = 0
  let high = edges.length - 2
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (edges[middle]! <= ts) low = middle
    else high = middle - 1
  }
  return low
}

/** Of the caller's device by interval; properties that it does not have, or that are not kept, are left out. */
export type ReadIntervals = (ctx: Ctx, deviceId: string, query: IntervalsQuery) => Promise<IntervalSeries[]>
