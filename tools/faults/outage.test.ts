import { describe, expect, it } from 'vitest'
import { outages } from './outage.ts'

describe('a database that answers nothing for a while', () => {
  it('ends no process, and nothing acknowledged is lost', async () => {
    const report = await outages({ seconds: [5], devices: 4 })
    expect(report).toMatchObject({ lost: 0, sameProcesses: true })
    expect(report.acknowledged).toBeGreaterThan(100)
  }, 300_000)
})
