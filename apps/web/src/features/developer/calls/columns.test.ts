import { describe, expect, it } from 'vitest'
import { columnsOf, roundUp } from './columns.ts'

const step = (ts: number, calls: number, errors: number, p95Ms: number | null) => ({ ts, calls, errors, p95Ms })

describe('columns of a chart', () => {
  it('put steps together when there are too many, and lose no call', () => {
    const series = Array.from({ length: 7 }, (_, at) => step(at, 10 + at, at, at === 3 ? null : at))
    expect(columnsOf(series, 10)).toEqual(series)
    const three = columnsOf(series, 3)
    expect(three.map(({ ts, calls, p95Ms }) => [ts, calls, p95Ms])).toEqual([
      [0, 33, 2],
      [3, 42, 5],
      [6, 16, 6],
    ])
    expect(three.reduce((sum, { errors }) => sum + errors, 0)).toBe(21)
    expect(columnsOf([], 10)).toEqual([])
    expect(columnsOf([step(1, 0, 0, null)], 10)[0]!.p95Ms).toBeNull()
  })

  it('stand under an axis that ends with a round number', () => {
    expect([0, 1, 2, 3, 7, 10, 11, 499, 500, 501, 12_345].map(roundUp)).toEqual([
      1, 1, 2, 5, 10, 10, 20, 500, 500, 1000, 20_000,
    ])
  })
})
