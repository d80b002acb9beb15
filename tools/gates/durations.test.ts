import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { durationsAfter } from '../../scripts/durations.mjs'

const root = join(import.meta.dirname, '../..')
const ran = (file: string, seconds: number) => ({
  name: join(root, file),
  startTime: 5_000,
  endTime: 5_000 + seconds * 1000,
})

// Written after a run of some suites alone, the table must not forget the others.
describe('the table of durations', () => {
  it('takes new times, keeps those of files that were not run, and forgets what is gone or quick', () => {
    const before = { 'e2e/a': 10, 'e2e/gone': 9, 'e2e/now-quick': 4, 'tools/b': 7 }
    const after = durationsAfter(
      before,
      [ran('e2e/a', 12.34), ran('e2e/now-quick', 0.2), ran('e2e/c', 3)],
      file => file !== 'e2e/gone',
    )
    expect(after).toEqual({ 'e2e/a': 12.3, 'e2e/c': 3, 'tools/b': 7 })
    expect(Object.keys(after)).toEqual(['e2e/a', 'e2e/c', 'tools/b'])
  })
})
