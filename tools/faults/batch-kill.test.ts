import { describe, expect, it } from 'vitest'
import { batchKill } from './batch-kill.ts'

describe('kill -9 of everything in the middle of a batch command', () => {
  it('leaves every device with exactly one command, or a row that says why not', async () => {
    const report = await batchKill({ devices: 1000, killAt: 300 })
    expect(report.atKill).toBeLessThan(1000)
    expect(report).toMatchObject({
      // Half were connected and did it; of the others all wait for their device but the gone and the disabled.
      states: { succeeded: 500, queued: 480, refused: 20 },
      refusals: { 'device.disabled': 10, 'device.not_found': 10 },
      commands: 980,
      commandedDevices: 980,
      received: { 1: 500 },
    })
  }, 600_000)
})
