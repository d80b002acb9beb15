import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatRelative } from './format.ts'
import { learnServerTime, serverNow } from './server-clock.ts'
import { startTexts } from './testing.ts'

const TRUE = Date.UTC(2026, 10, 26, 8)
const HOUR = 3_600_000
const header = (ms: number) => new Date(ms).toUTCString()

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.setSystemTime(TRUE)
  learnServerTime(header(TRUE), TRUE)
  vi.useRealTimers()
})

describe('the clock of the console', () => {
  it.each([-8 * HOUR, HOUR / 2, 10_000])('is the server’s where the computer’s is %d ms off', wrong => {
    vi.setSystemTime(TRUE + wrong)
    learnServerTime(header(TRUE), TRUE + wrong)
    expect(Math.abs(serverNow() - TRUE)).toBeLessThanOrEqual(1_000)
  })

  it('is the computer’s own as long as the difference is no more than the header can tell', () => {
    vi.setSystemTime(TRUE)
    for (const off of [-1_000, 0, 900]) learnServerTime(header(TRUE + off), TRUE)
    expect(serverNow()).toBe(TRUE)
    learnServerTime(null, TRUE)
    learnServerTime('soon', TRUE)
    expect(serverNow()).toBe(TRUE)
  })

  it('counts for what is said of times', async () => {
    await startTexts()
    vi.setSystemTime(TRUE - 8 * HOUR)
    learnServerTime(header(TRUE), TRUE - 8 * HOUR)
    expect(formatRelative(TRUE - HOUR)).not.toContain('7')
  })
})
