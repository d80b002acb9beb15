import { expect, it } from 'vitest'
import { tickDecimals, tickWords } from './value-axis.ts'

const fixed = (value: number, decimals: number) => value.toFixed(decimals)

it.each([
  [[0, 20, 40], 0],
  [[4.5, 5, 5.5], 1],
  [[4.96, 4.98, 5, 5.02], 2],
  [[0.1, 0.125, 0.15], 3],
  // As they come out of sums: 0.30000000000000004.
  [[0.1, 0.2, 0.1 + 0.2], 1],
  [[5, 5 + 1e-9], 6],
  [[-2e9, -1e9, 0], 0],
  [[5], 0],
  [[], 0],
])('%j has %i decimals', (ticks, decimals) => {
  expect(tickDecimals(ticks)).toBe(decimals)
})

it('writes no two marks the same', () => {
  const one = (value: number) => value.toFixed(1)
  expect(tickWords([4.96, 4.98, 5, 5.02], one, fixed)).toEqual(['4.96', '4.98', '5.00', '5.02'])
  expect(tickWords([0, 5, 10], String, fixed)).toEqual(['0', '5', '10'])
  expect(tickWords([5, 5 + 1e-9, 5 + 2e-9, 5.5], one, fixed)).toEqual(['5.000000', '', '', '5.500000'])
})
