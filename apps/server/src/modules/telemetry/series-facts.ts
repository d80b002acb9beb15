import { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import type { TimeSpan, ToolContext } from '../../lib/tools/tools.ts'

/** What a number did in a span of time. */
export interface SeriesFacts {
  /** [epoch ms, value, lowest, highest] for a chart. */
  points: (number | null)[][]
  highest: { value: number; at: number }
  lowest: { value: number; at: number }
  average: number
  /** The points are values as they were reported, not columns over many. */
  exact: boolean
}

/** Columns that are asked for: enough that an average over columns is one over time. */
const POINTS = 500
/** Values of one column that are looked through for the moment of an extreme. */
const RAW = 10_000

/**
 * Reads the series of a numeric property of one device; null: nothing was reported in the span. The extremes are exact
 * and stand at the moment of the value; the average is one over time where the span holds more than {@link POINTS} values.
 */
export async function seriesFacts(
  t: ToolContext,
  id: string,
  identifier: string,
  span: Pick<TimeSpan, 'from' | 'to'>,
): Promise<SeriesFacts | null> {
  const { from, to } = span
  const { series } = await t.call(telemetryContract.series, {
    params: { id },
    query: { identifier, from, to, points: POINTS },
  })
  const [{ points = [], resolutionMs = 0 } = {}] = series
  const known = points.filter(([, value]) => typeof value === 'number') as [number, number, number, number][]
  if (known.length === 0) return null
  const average = known.reduce((sum, [, value]) => sum + value, 0) / known.length
  if (resolutionMs === 0) {
    const values = known.map(([at, value]) => ({ at, value }))
    const extreme = (better: (a: number, b: number) => boolean) =>
      values.reduce((best, each) => (better(each.value, best.value) ? each : best))
    return { points, average, exact: true, highest: extreme((a, b) => a > b), lowest: extreme((a, b) => a < b) }
  }
  const column = { t, id, identifier, from, to, resolutionMs }
  return {
    points,
    average,
    exact: false,
    highest: await momentOf(column, known, { of: 3, sign: 1 }),
    lowest: await momentOf(column, known, { of: 2, sign: -1 }),
  }
}

interface Asked {
  t: ToolContext
  id: string
  identifier: string
  from: number
  to: number
  resolutionMs: number
}

/**
 * The extreme with its moment. Columns are cut at the clock's marks, so that the first and the last may tell of values
 * outside of the span: a column counts by those of its values that lie inside.
 */
async function momentOf(
  { t, id, identifier, from, to, resolutionMs }: Asked,
  known: readonly [number, number, number, number][],
  { of, sign }: { of: 2 | 3; sign: 1 | -1 },
): Promise<{ value: number; at: number }> {
  const byWorth = [...known].sort((a, b) => sign * (b[of] - a[of]))
  let best: { value: number; at: number } | null = null
  for (const column of byWorth) {
    if (best && sign * (column[of] - best.value) <= 0) break
    const { items } = await t.call(telemetryContract.raw, {
      params: { id },
      query: {
        identifier,
        from: Math.max(from, column[0]),
        to: Math.min(to, column[0] + resolutionMs - 1),
        limit: RAW,
      },
    })
    for (const [at, value] of items as [number, unknown][])
      if (typeof value === 'number' && (!best || sign * (value - best.value) > 0)) best = { value, at }
    // Older than the raw values that are kept, or more than are looked through: the column tells it.
    if (items.length === 0 || items.length === RAW) return { value: column[of], at: column[0] }
  }
  return best ?? { value: byWorth[0]![of], at: byWorth[0]![0] }
}
