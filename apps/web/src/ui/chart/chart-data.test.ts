import { describe, expect, it } from 'vitest'
import {
  alignSeries,
  apartBySize,
  groupByUnit,
  hasBand,
  shifted,
  sizeOfSeries,
  usualDistance,
  withGaps,
} from './chart-data.ts'

const point = (ts: number, value: number, min = value, max = value) => [ts, value, min, max]

describe('gaps', () => {
  it('break the line where the device was silent for longer than usual', () => {
    const columns = withGaps([point(0, 1), point(10, 2), point(20, 3), point(100, 4)], 0)
    expect(columns.xs).toEqual([0, 10, 20, 21, 100])
    expect(columns.value).toEqual([1, 2, 3, null, 4])
    expect(columns.min).toEqual([1, 2, 3, null, 4])
  })

  it('do not break a line of columns whose neighbours are one column apart', () => {
    const points = [0, 300, 600, 900, 1500].map(ts => point(ts, 1))
    expect(withGaps(points, 300).value).toEqual([1, 1, 1, 1, 1])
    expect(withGaps([...points, point(3000, 1)], 300).value.filter(value => value === null)).toHaveLength(1)
  })

  it('do not break what reports irregularly but not rarely', () => {
    const points = [0, 10, 25, 30, 50, 58].map(ts => point(ts, 1))
    expect(withGaps(points, 0).value).not.toContain(null)
  })

  it('do not break a level that simply did not change', () => {
    expect(withGaps([point(0, 1), point(1, 0), point(1000, 1)], 0, true).value).toEqual([1, 0, 1])
  })

  it('leave an empty or single answer alone', () => {
    expect(withGaps([], 300).xs).toEqual([])
    expect(withGaps([point(5, 1)], 0)).toMatchObject({ xs: [5], value: [1] })
    expect(usualDistance([1])).toBe(0)
  })
})

describe('series on one axis', () => {
  it('have no value, but no break either, at each other’s times', () => {
    const a = withGaps([point(0, 1), point(20, 2)], 100)
    const b = withGaps([point(10, 5, 4, 6)], 100)
    const { xs, columns } = alignSeries([a, b])
    expect(xs).toEqual([0, 10, 20])
    expect(columns[0]!.value).toEqual([1, undefined, 2])
    expect(columns[1]!.value).toEqual([undefined, 5, undefined])
    expect(columns[1]!.min).toEqual([undefined, 4, undefined])
  })

  it('keep their own breaks', () => {
    const a = withGaps([point(0, 1), point(10, 1), point(20, 1), point(900, 1)], 0)
    const { xs, columns } = alignSeries([a, withGaps([point(500, 3)], 0)])
    expect(xs).toEqual([0, 10, 20, 21, 500, 900])
    expect(columns[0]!.value).toEqual([1, 1, 1, null, null, 1])
    expect(columns[0]!.max).toEqual([1, 1, 1, null, null, 1])
    expect(columns[1]!.value).toEqual([undefined, undefined, undefined, undefined, 3, undefined])
  })

  it('can be laid over the next period', () => {
    expect(shifted(withGaps([point(5, 1)], 0), 100).xs).toEqual([105])
  })
})

it('a band is drawn only where columns hold more than one value', () => {
  expect(hasBand([point(0, 1), point(1, 2)])).toBe(false)
  expect(hasBand([point(0, 1), point(1, 2, 1, 3)])).toBe(true)
})

it('series share a chart by unit; switches and levels stand alone', () => {
  const item = (name: string, unit: string, stepped = false) => ({ name, unit, stepped })
  const groups = groupByUnit([
    item('a', '°C'),
    item('on', '', true),
    item('b', 'm'),
    item('c', '°C'),
    item('mode', '', true),
  ])
  expect(groups.map(group => group.items.map(({ name }) => name))).toEqual([['a', 'c'], ['on'], ['b'], ['mode']])
})

describe('sizes that do not fit one axis', () => {
  const apart = (...sizes: number[]) =>
    apartBySize({ unit: '', stepped: false, items: sizes.map((size, at) => ({ at, size })) }, item => item.size).map(
      group => group.items.map(item => item.size),
    )

  it('part at a thousand times, and stay in the order in which they were chosen', () => {
    expect(apart(0.5, 20_000, 3, 900)).toEqual([
      [0.5, 3],
      [20_000, 900],
    ])
    expect(apart(1, 999)).toEqual([[1, 999]])
    expect(apart(1, 1000)).toEqual([[1], [1000]])
  })

  it('leave a series without values where it is', () => {
    expect(apart(0, 5_000)).toEqual([[0, 5_000]])
    expect(apart(0, 0)).toEqual([[0, 0]])
  })

  it('count what a column holds, below 0 too', () => {
    expect(
      sizeOfSeries([
        [1, null],
        [2, 3, -40, 8],
        [3, 9],
      ]),
    ).toBe(40)
    expect(sizeOfSeries([])).toBe(0)
  })
})
