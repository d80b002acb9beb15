import { describe, expect, it } from 'vitest'
import fc from '../../lib/fast-check.ts'
import { Histogram } from './histogram.ts'

describe('a histogram', () => {
  it('names percentiles within 1.2 % of the exact ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.02, max: 50_000, noNaN: true }), { minLength: 1, maxLength: 500 }),
        values => {
          const histogram = new Histogram()
          for (const value of values) histogram.record(value)
          const sorted = [...values].sort((a, b) => a - b)
          for (const percent of [1, 50, 90, 99, 100]) {
            const exact = sorted[Math.max(0, Math.ceil((values.length * percent) / 100) - 1)]!
            expect(histogram.percentile(percent)).toBeGreaterThanOrEqual(exact * 0.999)
            expect(histogram.percentile(percent)).toBeLessThanOrEqual(exact * 1.012)
          }
        },
      ),
    )
  })

  it('names no percentile that fewer than three values lie above', () => {
    const histogram = new Histogram()
    for (let i = 0; i < 299; i++) histogram.record(i)
    expect(histogram.summary().p99).toBeNull()
    histogram.record(299)
    expect(histogram.summary().p99).not.toBeNull()
    expect(histogram.summary().p999).toBeNull()
  })

  it('added to another is the histogram of all values', () => {
    const [a, b, all] = [new Histogram(), new Histogram(), new Histogram()]
    for (let i = 1; i < 200; i++) {
      ;(i % 2 ? a : b).record(i)
      all.record(i)
    }
    a.add(b.data())
    expect(a.data()).toEqual(all.data())
  })
})
