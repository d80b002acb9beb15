import { describe, expect, it } from 'vitest'
import { parseSchedule } from './index.ts'

/** What is complained about, by path. */
const complaints = (value: unknown) => {
  const result = parseSchedule(value)
  return result.ok ? {} : Object.fromEntries(result.problems.map(({ path, code }) => [path, code]))
}
const zone = 'Asia/Shanghai'

describe('a schedule that is sent', () => {
  it.each([
    { kind: 'once', zone, at: '2026-12-01T08:00:30' },
    { kind: 'daily', zone, times: ['00:00', '24:00', '23:59:59'] },
    { kind: 'weekly', zone, days: [1, 7], times: ['08:00'], dayKind: 'workday' },
    { kind: 'monthly', zone, days: [1, 31, 'last'], months: [2], times: ['08:00'] },
    { kind: 'interval', zone, everySeconds: 900, from: '22:00', to: '06:00' },
    { kind: 'pair', zone, on: { sun: 'sunset', offsetMinutes: -15 }, off: '23:30' },
    { kind: 'sun', zone, event: 'sunrise', offsetMinutes: 0 },
    { kind: 'cron', zone, expression: '*/5 8-18 * * 1-5' },
  ])('is read as it is: $kind', value => {
    const result = parseSchedule(value)
    expect(result).toEqual({ ok: true, schedule: value })
  })

  it('is refused where something is missing, with the field named', () => {
    expect(complaints(null)).toEqual({ '': 'missing' })
    expect(complaints([])).toEqual({ '': 'missing' })
    expect(complaints({ kind: 'hourly' })).toEqual({ kind: 'kind' })
    expect(complaints({ kind: 'daily' })).toEqual({ zone: 'zone', times: 'missing' })
    expect(complaints({ kind: 'weekly', zone, days: [], times: [] })).toEqual({ days: 'missing', times: 'missing' })
    expect(complaints({ kind: 'pair', zone, on: '08:00' })).toEqual({ off: 'missing' })
  })

  it('is refused where something cannot be read exactly', () => {
    expect(complaints({ kind: 'daily', zone: 'Mars/Base', times: ['8:00', '08:60', '25:00', 800] })).toEqual({
      zone: 'zone',
      'times.0': 'time',
      'times.1': 'time',
      'times.2': 'time',
      'times.3': 'time',
    })
    expect(complaints({ kind: 'once', zone, at: '2026-02-30T08:00' })).toEqual({ at: 'moment' })
    expect(complaints({ kind: 'once', zone, at: '2026-02-28T08:00:00Z' })).toEqual({ at: 'moment' })
    expect(complaints({ kind: 'weekly', zone, days: [0, 8, '1'], times: ['08:00'] })).toEqual({ days: 'days' })
    expect(complaints({ kind: 'monthly', zone, days: ['first'], times: ['08:00'] })).toEqual({ days: 'days' })
    expect(complaints({ kind: 'interval', zone, everySeconds: 0.5, from: '08:00', to: '09:00' })).toEqual({
      everySeconds: 'range',
    })
    expect(complaints({ kind: 'sun', zone, event: 'noon', offsetMinutes: 1000 })).toEqual({
      event: 'kind',
      offsetMinutes: 'range',
    })
    expect(complaints({ kind: 'pair', zone, on: '08:00', off: '08:00' })).toEqual({ off: 'same' })
    expect(complaints({ kind: 'pair', zone, on: { sun: 'moonrise' }, off: '08:00' })).toEqual({ 'on.event': 'kind' })
    expect(complaints({ kind: 'cron', zone, expression: '99 * * * *' })).toEqual({ expression: 'cron' })
    expect(complaints({ kind: 'cron', zone, expression: 'tomorrow' })).toEqual({ expression: 'cron' })
  })

  it('is refused where it says what nobody reads', () => {
    expect(complaints({ kind: 'daily', zone, times: ['08:00'], days: [1] })).toEqual({ days: 'unknown_field' })
    expect(complaints({ kind: 'daily', zone, times: ['08:00'], dayKind: 'weekday' })).toEqual({ dayKind: 'kind' })
  })
})
