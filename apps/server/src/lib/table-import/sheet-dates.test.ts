import { describe, expect, it } from 'vitest'
import { dateStyles, dateText, isDateFormat } from './sheet-dates.ts'

describe('dates of spreadsheets', () => {
  it.each([
    ['46328', false, '2026-11-02'],
    ['46328.127835648', false, '2026-11-02 03:04:05'],
    ['46328.12783564815', false, '2026-11-02 03:04:05'],
    ['46328.5000057870', false, '2026-11-02 12:00:00.500'],
    ['44866', true, '2026-11-02'],
    ['0.5', false, '12:00:00'],
    ['0', false, '00:00:00'],
    ['1', false, '1900-01-01'],
    ['59', false, '1900-02-28'],
    ['60', false, null],
    ['61', false, '1900-03-01'],
    ['2958465', false, '9999-12-31'],
    ['2958466', false, null],
    ['-1', false, null],
    ['', false, null],
    ['1e300', false, null],
  ])('day %s (from 1904: %s) is %s', (stored, from1904, text) => {
    expect(dateText(stored, from1904)).toBe(text)
  })

  it.each([
    ['yyyy-mm-dd', true],
    ['yyyy"年"m"月"d"日"', true],
    ['[$-409]h:mm AM/PM', true],
    ['[Red]m/d/yy', true],
    ['General', false],
    ['0.00', false],
    ['0.0 "days"', false],
    ['0.0\\ \\m', false],
    ['[h]:mm:ss', false],
    ['#,##0_m', false],
    ['@', false],
  ])('format %s shows a date: %s', (format, is) => {
    expect(isDateFormat(format)).toBe(is)
  })

  it('knows the styles with built-in and own formats', () => {
    expect([
      ...dateStyles(
        new Map([
          [164, 'yyyy/m/d'],
          [165, '0.0'],
        ]),
        [0, 14, 164, 165, 46, 57],
      ),
    ]).toEqual([1, 2, 5])
  })
})
