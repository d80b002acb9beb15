import { expect, it } from 'vitest'
import { formatMoney } from '../../../lib/format.ts'
import { axisTop, costText, monthBeside, monthDays } from './usage-days.ts'

it('a month has all its days', () => {
  const days = monthDays('2028-02', [
    { day: '2028-02-29', replies: 3, promptTokens: 10, completionTokens: 4, costFen: 1.5 },
  ])
  expect(days).toHaveLength(29)
  expect(days[0]).toEqual({ day: '2028-02-01', replies: 0, prompt: 0, completion: 0, costFen: 0 })
  expect(days[28]).toEqual({ day: '2028-02-29', replies: 3, prompt: 10, completion: 4, costFen: 1.5 })
})

it('the month before January is December', () => {
  expect(monthBeside('2027-01', -1)).toBe('2026-12')
  expect(monthBeside('2026-12', 1)).toBe('2027-01')
  expect(monthBeside('2026-11', -1)).toBe('2026-10')
})

it('an axis ends with a round number', () => {
  expect([0, 9, 11, 50, 51, 12_345].map(axisTop)).toEqual([10, 10, 20, 50, 100, 20_000])
})

it('a cost below a fen is not nothing', () => {
  expect(costText(0.31, formatMoney)).toBe('¥0.0031')
  expect(costText(0, formatMoney)).toBe('¥0.00')
  expect(costText(123_456, formatMoney)).toBe('¥1,234.56')
})
