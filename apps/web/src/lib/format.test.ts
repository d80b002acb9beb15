import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatDate,
  formatDateTime,
  formatDuration,
  formatMoney,
  formatNumber,
  formatRelative,
} from './format.ts'
import { changeLocale, loadTexts } from './i18n.ts'
import { fakeBrowser, startTexts } from './testing.ts'

fakeBrowser()
const at = new Date(2026, 10, 20, 14, 3, 5, 7).getTime()
/** The narrow space that does not break. */
const plain = (text: string) => text.replaceAll('\u202f', '_').replaceAll('\u00a0', ' ')

beforeAll(async () => {
  await startTexts()
  await loadTexts('common')
})
beforeEach(() => changeLocale('zh'))

describe('times', () => {
  it('are written as the language writes them', async () => {
    expect(formatDateTime(at)).toBe('2026-11-20 14:03:05')
    expect(formatDateTime(new Date(at).toISOString(), { millis: true })).toBe('2026-11-20 14:03:05.007')
    await changeLocale('en')
    expect(formatDateTime(at)).toBe('20 Nov 2026, 14:03:05')
    expect(formatDate(at)).toBe('20 Nov 2026')
  })

  it('name the zone when it is not the browser’s', () => {
    const foreign = Intl.DateTimeFormat().resolvedOptions().timeZone === 'Asia/Tokyo' ? 'Asia/Kolkata' : 'Asia/Tokyo'
    expect(formatDateTime(Date.UTC(2026, 0, 1, 23, 0, 0), { timeZone: foreign })).toMatch(
      foreign === 'Asia/Tokyo' ? '2026-01-02 08:00:00 Asia/Tokyo' : '2026-01-02 04:30:00 Asia/Kolkata',
    )
  })

  it('are a dash when there is none', () => {
    for (const nothing of [null, undefined, '', 'yesterday', Number.NaN]) expect(formatDateTime(nothing)).toBe('–')
  })

  it('are told relative to now', async () => {
    const ago = (seconds: number) => formatRelative(at - seconds * 1000, at)
    expect([ago(2), ago(40), ago(60), ago(3 * 3600 + 5), ago(-120)]).toEqual([
      '刚刚',
      '40秒前',
      '1分钟前',
      '3小时前',
      '2分钟后',
    ])
    await changeLocale('en')
    expect([ago(2), ago(40), ago(86_400 * 3)]).toEqual(['just now', '40 seconds ago', '3 days ago'])
  })

  it('count days as the calendar does', async () => {
    await changeLocale('en')
    const to = (day: number, hour: number) => formatRelative(new Date(2026, 10, day, hour).getTime(), at)
    expect([to(25, 9), to(25, 20), to(22, 9), to(18, 23), to(19, 13)]).toEqual([
      'in 5 days',
      'in 5 days',
      'in 2 days',
      '2 days ago',
      'yesterday',
    ])
  })

  it('last as long as their two largest units say', async () => {
    await changeLocale('en')
    expect(formatDuration(7_500_000)).toBe('2 hr 5 min')
    expect(formatDuration(86_400_000)).toBe('1 day')
    expect(formatDuration(0)).toBe('0 sec')
  })
})

describe('numbers', () => {
  it('are grouped thinly, their unit after a thin space', () => {
    expect(plain(formatNumber(1234567.5, { unit: 'kWh' }))).toBe('1_234_567.5_kWh')
    expect(plain(formatNumber(-1234))).toBe('-1_234')
    expect(formatNumber(999)).toBe('999')
    expect(formatNumber(21.5, { decimals: 2 })).toBe('21.50')
    expect(formatNumber(0.1 + 0.2)).toBe('0.3')
    expect(formatNumber(null)).toBe('–')
  })

  it('keep every digit of an integer that came as text', () => {
    expect(plain(formatNumber('9007199254740993'))).toBe('9_007_199_254_740_993')
  })

  it('use powers where digits would mislead', () => {
    expect(formatNumber(1.5e20)).toBe('1.5000e+20')
    expect(formatNumber(2e-9)).toBe('2.0000e-9')
    expect(formatNumber(0)).toBe('0')
  })

  it('are money from fen', () => {
    expect(formatMoney(123450)).toBe('¥1,234.50')
    expect(formatMoney(-5)).toBe('-¥0.05')
  })

  it('are bytes in steps of 1024', () => {
    expect(plain(formatBytes(512))).toBe('512_B')
    expect(plain(formatBytes(1536))).toBe('1.5_KB')
    expect(plain(formatBytes(70 * 1024 ** 2))).toBe('70_MB')
    // The same places as in what the server writes of sizes.
    for (const [bytes, shown] of [
      [0, '0_B'],
      [1_010, '1010_B'],
      [1_024, '1_KB'],
      [1_000_000, '976.6_KB'],
      [1_100_000, '1.05_MB'],
      [5 * 1024 ** 5, '5120_TB'],
    ] as const)
      expect(plain(formatBytes(bytes))).toBe(shown)
  })
})
