import { expect, it } from 'vitest'
import { type DayPart, saidClock } from './said-clock.ts'

it.each([
  ['22:00', 'day', '22:00'],
  ['8:05', 'day', '08:05'],
  ['ten', 'pm', '22:00'],
  ['10', 'pm', '22:00'],
  ['10:30 pm', 'day', '22:30'],
  ['6 a.m.', 'day', '06:00'],
  ['12 am', 'day', '00:00'],
  ['ten o\u2019clock', 'pm', '22:00'],
  ['十点', 'pm', '22:00'],
  ['10点半', 'pm', '22:30'],
  ['晚上十点', 'day', '22:00'],
  ['早上6点15分', 'day', '06:15'],
  ['中午12点', 'day', '12:00'],
  ['1点', 'noon', '13:00'],
  ['22：30', 'day', '22:30'],
  ['十二点', 'pm', '00:00'],
] as [string, DayPart, string][])('%s (%s) is %s', (said, part, clock) => {
  expect(saidClock(said, part)).toBe(clock)
})

it.each(['', 'soon', '25:00', '10:75', '十三点', 'ten to six'])('%s is no time', said => {
  expect(saidClock(said)).toBeNull()
})
