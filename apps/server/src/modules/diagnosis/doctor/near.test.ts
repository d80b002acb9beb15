import { describe, expect, it } from 'vitest'
import { isNear } from './near.ts'

describe('a number that was meant to be another', () => {
  it.each([
    ['SN-0001', 'sn0001', true],
    ['1001', '0001001', true],
    ['METER-17', 'METER-1', true],
    ['ABCDEF12', 'ABCDFE12', true],
    ['ABCDEF12', 'ABXXXX12', false],
    ['a', 'b', false],
    ['12', '13', false],
    ['', 'x', false],
  ])('%s for %s: %s', (given, wanted, near) => expect(isNear(given, wanted)).toBe(near))
})
