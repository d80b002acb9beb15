import { expect, it } from 'vitest'
import { Unreadable } from '../field.ts'
import { readNumber } from './read-number.ts'

it.each([
  ['1', 1],
  [' -2.50 ', -2.5],
  ['+3', 3],
  ['.5', 0.5],
  ['5.', 5],
  ['1e3', 1000],
  ['\u22124', -4],
  ['', undefined],
  ['   ', undefined],
])('%j means %j', (text, meant) => {
  expect(readNumber(text)).toBe(meant)
})

it.each(['1.2.3', '12a', '1,5', '0x10', 'NaN', 'Infinity', '1e999', '-', '--1'])('%j is to be corrected', text => {
  expect(readNumber(text)).toBeInstanceOf(Unreadable)
})
