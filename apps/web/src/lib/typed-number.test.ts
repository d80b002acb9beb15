import { expect, it } from 'vitest'
import { plainNumber } from './typed-number.ts'

it.each([
  ['１２０．５', '120.5'],
  ['120。5', '120.5'],
  ['－３', '-3'],
  ['\u22123', '-3'],
  [' １ｅ３\u3000', '1e3'],
  ['十二', '十二'],
  ['12 V', '12 V'],
])('%s means %s', (typed, meant) => {
  expect(plainNumber(typed)).toBe(meant)
})
