import { describe, expect, it } from 'vitest'
import { newestPostgres } from '../lib/postgres-server.ts'
import { longForm } from './long-form.ts'

// Half of the devices send no times, and history is read value by value, as everybody reads it.
describe('a database that is away for a while', () => {
  const run = async (only: 'embedded' | 'external') => {
    const report = await longForm({ seconds: [5], everything: false, only, devices: 8, pauseMs: 0, say: () => {} })
    expect(report.skipped).toEqual([])
    for (const fault of report.faults) expect(fault).toMatchObject({ sameProcesses: true, told: true })
    expect(report.sites).toEqual([
      { site: `${only} database`, comparison: expect.objectContaining({ lost: 0, twice: 0, strange: 0 }) },
    ])
    expect(report.sites[0]!.comparison.acknowledged).toBeGreaterThan(500)
    return report.faults.map(({ what }) => what)
  }

  it('embedded: ends no process, and what was acknowledged is in history, once', async () => {
    expect(await run('embedded')).toEqual(['its processes stopped for 5 s'])
  }, 300_000)

  it.skipIf(!newestPostgres())(
    'external, behind a black hole and cut off: the same',
    async () => {
      expect(await run('external')).toEqual(['a black hole of 5 s', 'cut off for 5 s'])
    },
    300_000,
  )
})
