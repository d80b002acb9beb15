import { describe, expect, it } from 'vitest'
import { otaCampaign } from './ota-campaign.ts'

describe('campaigns over a thousand devices, one in twenty of them with a fault', () => {
  it('stop themselves at the set failure rate, and survive kill -9 of everything', async () => {
    const report = await otaCampaign({ devices: 1_000, killed: 400, killAt: 100 })
    // Stopped by the rate, with most devices never told.
    expect(report.stopped).toMatchObject({ state: 'stopped', reason: 'failure_rate' })
    expect(report.failedAtStop / report.endedAtStop).toBeGreaterThan(0.03)
    expect(report.endedAtStop).toBeGreaterThanOrEqual(100)
    expect(report.stopped.states.pending).toBeGreaterThan(300)
    expect(report.versionsAtStop['1.0.0']).toBeGreaterThan(300)
    // Killed in the middle: every device has its update, or a reason.
    expect(report.atKill).toBeLessThan(380)
    expect(report.killed.states.succeeded).toBe(380)
    const { succeeded: _, ...others } = report.killed.states
    expect(Object.values(others).reduce((sum, n) => sum + n, 0)).toBe(20)
    expect(report.versionsAtEnd['3.0.0']).toBe(380)
    expect(report.contradictions).toEqual([])
    expect([report.strangeImages, report.bricked]).toEqual([0, 0])
  }, 900_000)
})
