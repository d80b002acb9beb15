import { expect, it } from 'vitest'
import { mergeReadings, readingsOf } from './use-latest.ts'

const reading = (value: unknown, ts: number) => ({ value, ts, quality: 'good' as const })

it('late news never replaces a newer value', () => {
  const known = { a: reading(1, 10), b: reading(2, 10) }
  expect(mergeReadings(known, { a: reading(9, 5), b: reading(3, 10), c: reading(4, 1) })).toEqual({
    a: reading(1, 10),
    b: reading(3, 10),
    c: reading(4, 1),
  })
})

it('what changes nothing makes no new object, so that nothing is drawn again', () => {
  const known = { a: reading(1, 10) }
  expect(mergeReadings(known, { a: reading(9, 5) })).toBe(known)
})

it('takes only what is a reading', () => {
  expect(readingsOf({ a: { value: 1, ts: 5 }, b: null, c: { value: 1 } })).toEqual({ a: reading(1, 5) })
  expect(readingsOf(null)).toEqual({})
})
