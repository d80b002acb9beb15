import { describe, expect, it } from 'vitest'
import { axisWords, boundsOf, readWindow, refreshMs, writeWindow, zoomed } from './history-window.ts'

const read = (query: string) => readWindow(new URLSearchParams(query))

describe('the window of a history', () => {
  it('comes from the address, the last day without a sound one', () => {
    expect(read('')).toEqual({ kind: 'last', name: '24h' })
    expect(read('range=7d')).toEqual({ kind: 'last', name: '7d' })
    expect(read('range=forever')).toEqual({ kind: 'last', name: '24h' })
    expect(read('from=1000&to=5000')).toEqual({ kind: 'fixed', from: 1000, to: 5000 })
    for (const wrong of [
      'from=5000&to=1000',
      'from=1000&to=1001',
      'from=x&to=9',
      'from=0&to=99999999999999',
      'from=-5000&to=5000',
    ])
      expect(read(wrong).kind).toBe('last')
  })

  it('goes back into the address', () => {
    for (const window of [read('range=1h'), read('from=1000&to=5000'), read('')]) {
      const params = new URLSearchParams()
      for (const [key, value] of Object.entries(writeWindow(window))) if (value !== null) params.set(key, value)
      expect(readWindow(params)).toEqual(window)
    }
  })

  it('that ends now moves on, a fixed one stands still', () => {
    expect(boundsOf({ kind: 'last', name: '1h' }, 10_000_000)).toEqual({ from: 6_400_000, to: 10_000_000 })
    expect(refreshMs({ kind: 'last', name: '1h' })).toBe(10_000)
    expect(refreshMs({ kind: 'last', name: '30d' })).toBe(300_000)
    expect(refreshMs({ kind: 'fixed', from: 0, to: 1 })).toBeNull()
  })

  it('is zoomed around the pointer and never to nothing', () => {
    expect(zoomed({ from: 10_000, to: 20_000 }, 0.5, 0.5)).toEqual({ from: 12_500, to: 17_500 })
    expect(zoomed({ from: 10_000, to: 20_000 }, 0, 2)).toEqual({ from: 10_000, to: 30_000 })
    const close = zoomed({ from: 10_000, to: 11_000 }, 0.3, 0.1)
    expect(close.to - close.from).toBe(1000)
  })
})

it('an axis names each day once and seconds only where they tell something', () => {
  const at = (day: number, hour: number, second = 0) => new Date(2026, 10, day, hour, 0, second).getTime()
  expect(axisWords([at(20, 22), at(20, 23), at(21, 0)], 7_200_000)).toEqual(['22:00\n11-20', '23:00', '00:00\n11-21'])
  expect(axisWords([at(20, 22, 5)], 60_000)).toEqual(['22:00:05\n11-20'])
  expect(axisWords([at(20, 0), at(21, 0)], 10 * 86_400_000)).toEqual(['11-20', '11-21'])
})
