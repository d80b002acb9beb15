import { describe, expect, it } from 'vitest'
import { sparkWindow } from './spark-window.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 5, 8, 12)

describe('the time a small line stands for', () => {
  it.each([
    [null, 1440],
    [1, 10],
    [10, 10],
    [11, 60],
    [61, 360],
    [361, 1440],
    [1440, 1440],
    [2000, 1440],
  ])('with a first value %s minutes ago: %s minutes', (ago, minutes) => {
    expect(sparkWindow(ago === null ? null : NOW - ago * MINUTE, NOW)).toBe(minutes * MINUTE)
  })
})
