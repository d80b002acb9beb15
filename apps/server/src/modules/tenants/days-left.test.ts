import { expect, it } from 'vitest'
import { daysLeft, localDay } from './days-left.ts'

const at = (text: string) => Date.parse(text)

it('counts days of the calendar in the company’s zone: the day itself is 0', () => {
  const end = at('2026-11-20T16:30:00Z')
  // 00:30 of the 21st in Shanghai, 08:30 of the 20th in Los Angeles.
  expect(localDay(end, 'Asia/Shanghai')).toBe('2026-11-21')
  expect(localDay(end, 'America/Los_Angeles')).toBe('2026-11-20')
  expect(daysLeft(end, at('2026-11-20T15:59:00Z'), 'Asia/Shanghai')).toBe(1)
  expect(daysLeft(end, at('2026-11-20T16:00:00Z'), 'Asia/Shanghai')).toBe(0)
  expect(daysLeft(end, at('2026-11-20T15:59:00Z'), 'America/Los_Angeles')).toBe(0)
  expect(daysLeft(end, at('2026-11-21T16:00:00Z'), 'Asia/Shanghai')).toBe(-1)
})

it('is not led astray by the hour that a zone takes or gives', () => {
  const end = at('2026-03-29T22:30:00Z')
  expect(daysLeft(end, at('2026-03-28T12:00:00Z'), 'Europe/Berlin')).toBe(2)
  expect(daysLeft(at('2026-10-25T23:30:00Z'), at('2026-10-24T22:30:00Z'), 'Europe/Berlin')).toBe(1)
})
