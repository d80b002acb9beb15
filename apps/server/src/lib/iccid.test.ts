import { ICCID_PATTERN } from '@thingwright/contracts/sim-cards.words'
import { describe, expect, it } from 'vitest'
import { iccidOf } from './iccid.ts'

const taken = (written: string) => new RegExp(ICCID_PATTERN).test(iccidOf(written))

describe('an ICCID', () => {
  // As they stand on cards: China Mobile (with letters from the seventh place on), China Telecom, China Unicom, abroad.
  it.each([
    '898604B7192270274525',
    '898602B12616C0613882',
    '898604B30522C0106153',
    '89860042191586153394',
    '89861121290034567890',
    '8986061501000012345',
    '8944500102198304826',
    '8986032444200000000F',
  ])('is %s', iccid => expect([iccidOf(iccid), taken(iccid)]).toEqual([iccid, true]))

  it('is read as people write it', () => {
    expect(iccidOf(' 8986 04b7 1922 7027 4525\u00a0')).toBe('898604B7192270274525')
    expect(iccidOf('89860-42191-58615-33940')).toBe('89860421915861533940')
    expect(iccidOf('８９８６０４Ｂ７１９２２７０２７４５２５')).toBe('898604B7192270274525')
  })

  it.each([
    '',
    '12345678901234567890',
    '898604B71922702745',
    '8986A4B7192270274525',
    '898604G7192270274525',
    '8.98604E+19',
    '898604B71922702745250',
  ])('is not %j', iccid => expect(taken(iccid)).toBe(false))
})
