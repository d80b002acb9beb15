import { describe, expect, it } from 'vitest'
import { heatOfCounts, heatOfValues, stepOfHeat } from './heat.ts'

const place = { lng: 1, lat: 2 }

describe('heat', () => {
  it('of counts grows with their logarithm, and what is empty has none', () => {
    const spots = heatOfCounts([
      { key: 'a', place, count: 1 },
      { key: 'b', place, count: 0 },
      { key: 'c', place, count: 1000 },
    ])
    expect(spots.map(({ key }) => key)).toEqual(['a', 'c'])
    expect(spots[0]!.heat).toBeCloseTo(0.1, 1)
    expect(spots[1]!.heat).toBe(1)
  })

  it('of values lies between the least and the greatest, also of negative ones and of one alone', () => {
    const of = (...values: number[]) => heatOfValues(values.map((value, n) => ({ key: `${n}`, place, value })))
    expect(of(-10, 0, 10)).toMatchObject({ least: -10, most: 10, spots: [{ heat: 0 }, { heat: 0.5 }, { heat: 1 }] })
    expect(of(7).spots[0]!.heat).toBe(0.5)
  })

  it('is drawn in five steps', () => {
    expect([0, 0.19, 0.2, 0.5, 0.99, 1].map(stepOfHeat)).toEqual([0, 0, 1, 2, 4, 4])
  })
})
