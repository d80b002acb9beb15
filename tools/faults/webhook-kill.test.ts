import { describe, expect, it } from 'vitest'
import { webhookKill } from './webhook-kill.ts'

describe('kill -9 of everything in the middle of a webhook backlog', () => {
  it('loses nothing: each message at least once, under one id, in the order of its device', async () => {
    const report = await webhookKill({ messages: 2_000, devices: 8, killAt: 400 })
    expect(report.acknowledged).toBeGreaterThanOrEqual(2_000)
    expect(report.atKill).toBeLessThan(report.acknowledged)
    expect(report).toMatchObject({
      lost: 0,
      outOfOrder: 0,
      faults: [],
      idsPerMessage: 1,
      backlog: 0,
      deadLetters: 0,
    })
    // What arrived and was not yet written down came again: that is what the ids are for.
    expect(report.repeated).toBeLessThan(report.acknowledged)
  }, 600_000)
})
