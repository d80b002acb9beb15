import { describe, expect, it } from 'vitest'
import { boundsOf, readWindow, refreshMs, writeWindow } from './history-window.ts'

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
})
