import { describe, expect, it } from 'vitest'
import { axisWords, zoomed } from './time-axis.ts'

describe('the time axis of a chart', () => {
  it('is zoomed around the pointer and never to nothing', () => {
    expect(zoomed({ from: 10_000, to: 20_000 }, 0.5, 0.5)).toEqual({ from: 12_500, to: 17_500 })
    expect(zoomed({ from: 10_000, to: 20_000 }, 0, 2)).toEqual({ from: 10_000, to: 30_000 })
    const close = zoomed({ from: 10_000, to: 11_000 }, 0.3, 0.1)
    expect(close.to - close.from).toBe(1000)
  })

  it('an axis names each day once and seconds only where they tell something', () => {
    const at = (day: number, hour: number, second = 0) => new Date(2026, 10, day, hour, 0, second).getTime()
    expect(axisWords([at(20, 22), at(20, 23), at(21, 0)], 7_200_000)).toEqual(['22:00\n11-20', '23:00', '00:00\n11-21'])
    expect(axisWords([at(20, 22, 5)], 60_000)).toEqual(['22:00:05\n11-20'])
    expect(axisWords([at(20, 0), at(21, 0)], 10 * 86_400_000)).toEqual(['11-20', '11-21'])
  })
})
