import { expect, it } from 'vitest'
import { withLengths } from './lengths.ts'

it('each state lasts until the next newer one, the newest until now', () => {
  const rows = [{ at: 100 }, { at: 60 }, { at: 10 }]
  expect(withLengths(rows, row => row.at, 130).map(row => row.lengthMs)).toEqual([30, 40, 50])
  expect(withLengths([{ at: 200 }], row => row.at, 130)[0]?.lengthMs).toBeNull()
})
