import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Heartbeat } from './heartbeat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('counts beats without a word, and begins anew at the first', () => {
  const told: string[] = []
  const heart = new Heartbeat({
    everyMs: 100,
    beat: () => told.push('beat'),
    silent: beats => told.push(`silent ${beats}`),
    back: beats => told.push(`back ${beats}`),
  })
  vi.advanceTimersByTime(300)
  expect(told).toEqual(['beat', 'silent 1', 'beat', 'silent 2', 'beat'])
  expect(heart.beatsSilent).toBe(2)
  heart.heard()
  heart.heard()
  vi.advanceTimersByTime(100)
  expect(told.slice(5)).toEqual(['back 2', 'beat'])
  expect(heart.beatsSilent).toBe(0)
  heart.stop()
  vi.advanceTimersByTime(1_000)
  expect(told).toHaveLength(7)
})
