import { describe, expect, it } from 'vitest'
import { killRounds } from './kill-rounds.ts'

describe('kill -9 at a random moment', () => {
  it('of the gateway, then of every process: every acknowledged message is there and in history, QoS 2 once, every consumer saw it', async () => {
    const report = await killRounds({ rounds: 2, devices: 6, between: 1000, seed: 20_260_101 })
    expect(report).toMatchObject({ lost: 0, duplicated: 0 })
    expect(report.history).toEqual({ lost: 0, points: report.history.expected, expected: expect.any(Number) })
    expect(report.acknowledged).toBeGreaterThan(2000)
    expect(report.counted).toBe(report.rows)
    expect(report.consumers.filter(c => c.behind > 0)).toEqual([])
  }, 600_000)
})
