import type { ReportInterval, ReportPeriod } from '@thingwright/contracts/reports.words'
import { instantOf, partsIn } from '../../lib/zoned-time.ts'

/** A stretch of time, epoch ms, `to` not included. */
export interface Span {
  from: number
  to: number
}

/** The whole days before a moment that a period means, by the calendar of a zone. */
export function spanOf(period: ReportPeriod, zone: string, at: number): Span {
  const { year, month, day } = partsIn(zone, at)
  if (period === 'last_month') return { from: instantOf(zone, year, month - 1, 1), to: instantOf(zone, year, month, 1) }
  const days = period === 'yesterday' ? 1 : 7
  return { from: instantOf(zone, year, month, day - days), to: instantOf(zone, year, month, day) }
}

const STEP_MS: Record<Exclude<ReportInterval, 'day'>, number> = {
  '5_minutes': 300_000,
  '10_minutes': 600_000,
  '15_minutes': 900_000,
  '30_minutes': 1_800_000,
  hour: 3_600_000,
}

/** Beginnings of the intervals of a span and its end. A day is one of the zone's calendar, 23 or 25 hours where clocks change. */
export function edgesOf(interval: ReportInterval, zone: string, { from, to }: Span): number[] {
  const edges: number[] = []
  if (interval === 'day') {
    const { year, month, day } = partsIn(zone, from)
    for (let n = 0; ; n++) {
      const at = instantOf(zone, year, month, day + n)
      if (at >= to) break
      edges.push(at)
    }
  } else for (let at = from; at < to; at += STEP_MS[interval]) edges.push(at)
  edges.push(to)
  return edges
}
