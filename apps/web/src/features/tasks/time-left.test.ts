import { expect, it } from 'vitest'
import { timeLeft } from './time-left.ts'

it('tells the time left at the pace so far, and nothing while that is unknown', () => {
  const at = (ms: number) => new Date(ms).toISOString()
  const left = (done: number, total: number | null, ranMs: number) => timeLeft({ startedAt: at(0), done, total }, ranMs)
  expect(left(10, 20, 10_000)).toEqual({ unit: 'seconds', count: 10 })
  expect(left(10, 110, 60_000)).toEqual({ unit: 'minutes', count: 10 })
  expect(left(1, 1000, 60_000)).toEqual({ unit: 'hours', count: 17 })
  expect(left(10, 20, 1000)).toBeNull()
  expect(left(0, 20, 10_000)).toBeNull()
  expect(left(5, null, 10_000)).toBeNull()
  expect(timeLeft({ startedAt: null, done: 5, total: 10 }, 10_000)).toBeNull()
})
