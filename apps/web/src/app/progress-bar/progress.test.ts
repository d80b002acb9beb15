import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { finish, type Phase, phase, useProgress } from './progress.ts'

const value = () => useProgress.getState().value
const PHASES: Phase[] = ['match', 'guard-start', 'guard-end', 'chunk-start', 'chunk-end', 'data-start', 'data-end']

beforeEach(() => {
  vi.useFakeTimers()
  useProgress.setState({ active: false, value: 0 })
})
afterEach(() => {
  vi.runOnlyPendingTimers()
  vi.useRealTimers()
})

describe('progress of a navigation', () => {
  it('rises by 7 percent with every phase', () => {
    phase('start')
    const seen = [value()]
    for (const name of PHASES) {
      phase(name)
      seen.push(value())
    }
    expect(seen).toEqual([7, 14, 21, 28, 35, 42, 49, 56])
  })

  it('reaches 100 at the end and is gone 500 ms later', () => {
    phase('start')
    finish()
    expect(value()).toBe(100)
    vi.advanceTimersByTime(499)
    expect(useProgress.getState()).toEqual({ active: true, value: 100 })
    vi.advanceTimersByTime(1)
    expect(useProgress.getState()).toEqual({ active: false, value: 0 })
  })

  it('goes on through a redirect and never reaches 100 by phases alone', () => {
    phase('start')
    for (let n = 0; n < 5; n++) for (const name of PHASES) phase(name)
    expect(value()).toBe(98)
    phase('start')
    expect(value()).toBe(98)
  })

  it('starts anew when a navigation follows within the 500 ms', () => {
    phase('start')
    finish()
    vi.advanceTimersByTime(200)
    phase('start')
    expect(value()).toBe(7)
    vi.advanceTimersByTime(400)
    expect(value()).toBe(7)
  })

  it('does not move without a navigation, nor after its end', () => {
    phase('data-end')
    finish()
    expect(useProgress.getState()).toEqual({ active: false, value: 0 })
    phase('start')
    finish()
    phase('chunk-end')
    expect(value()).toBe(100)
  })
})
