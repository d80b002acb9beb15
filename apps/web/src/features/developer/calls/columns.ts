import type { CallStatistics } from '@thingwright/contracts/developer.contract'

export interface Column {
  ts: number
  calls: number
  errors: number
  p95Ms: number | null
}

/** Steps put together so that there are at most `most` columns; their p95 is the largest of its parts. */
export function columnsOf(series: CallStatistics['series'], most: number): Column[] {
  const each = Math.max(1, Math.ceil(series.length / most))
  const columns: Column[] = []
  for (let at = 0; at < series.length; at += each) {
    const part = series.slice(at, at + each)
    const p95 = part.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]))
    columns.push({
      ts: part[0]!.ts,
      calls: part.reduce((sum, { calls }) => sum + calls, 0),
      errors: part.reduce((sum, { errors }) => sum + errors, 0),
      p95Ms: p95.length === 0 ? null : Math.max(...p95),
    })
  }
  return columns
}

/** The smallest of 1, 2, 5 × 10ⁿ that is not below the value: the top of an axis. */
export function roundUp(value: number): number {
  if (value <= 1) return 1
  const step = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map(times => times * step).find(top => top >= value)!
}
