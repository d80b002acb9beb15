import { describe, expect, it } from 'vitest'
import { nextRuns, type Schedule, type Surroundings, sunTime } from './index.ts'

const iso = (text: string) => Date.parse(text)
/** The next runs as ISO texts in UTC, to the minute. */
const runs = (schedule: Schedule, after: string, count: number, around: Surroundings = {}) =>
  nextRuns(schedule, iso(after), count, around).map(
    ({ at, edge }) => `${new Date(at).toISOString().slice(0, 16)}${edge ? ` ${edge}` : ''}`,
  )

const shanghai = 'Asia/Shanghai'
const berlin = 'Europe/Berlin'

describe('runs by the clock of a zone', () => {
  it('come every day at each of the times, in order, never in the moment that is asked about', () => {
    const daily: Schedule = { kind: 'daily', zone: shanghai, times: ['18:00', '06:30'] }
    expect(runs(daily, '2026-11-26T00:00:00Z', 3)).toEqual(['2026-11-26T10:00', '2026-11-26T22:30', '2026-11-27T10:00'])
    expect(runs(daily, '2026-11-26T10:00:00Z', 1)).toEqual(['2026-11-26T22:30'])
    expect(runs(daily, '2026-11-26T09:59:59.999Z', 1)).toEqual(['2026-11-26T10:00'])
  })

  it('come on week days of the zone, not of UTC', () => {
    // Monday 00:30 in Shanghai is still Sunday in London.
    expect(runs({ kind: 'weekly', zone: shanghai, days: [1], times: ['00:30'] }, '2026-11-25T00:00:00Z', 2)).toEqual([
      '2026-11-29T16:30',
      '2026-12-06T16:30',
    ])
  })

  it('leave out days that a month does not have; the last one is there in each', () => {
    const on = (days: (number | 'last')[]): Schedule => ({ kind: 'monthly', zone: 'UTC', days, times: ['12:00'] })
    expect(runs(on([31]), '2026-01-31T12:00:00Z', 3)).toEqual([
      '2026-03-31T12:00',
      '2026-05-31T12:00',
      '2026-07-31T12:00',
    ])
    expect(runs(on(['last']), '2027-01-31T12:00:00Z', 3)).toEqual([
      '2027-02-28T12:00',
      '2027-03-31T12:00',
      '2027-04-30T12:00',
    ])
    // A day that is chosen twice over runs once.
    expect(runs(on([30, 'last']), '2026-04-01T00:00:00Z', 2)).toEqual(['2026-04-30T12:00', '2026-05-30T12:00'])
    expect(runs({ ...on([29]), months: [2] } as Schedule, '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T12:00',
      '2032-02-29T12:00',
    ])
    expect(runs({ ...on([30]), months: [2] } as Schedule, '2026-01-01T00:00:00Z', 1)).toEqual([])
  })

  it('come once, and never when it is over or no such day', () => {
    const once = (at: string): Schedule => ({ kind: 'once', zone: shanghai, at })
    expect(runs(once('2026-12-01T08:00'), '2026-11-26T00:00:00Z', 5)).toEqual(['2026-12-01T00:00'])
    expect(runs(once('2026-11-01T08:00'), '2026-11-26T00:00:00Z', 5)).toEqual([])
    expect(runs(once('2026-02-30T08:00'), '2026-01-01T00:00:00Z', 5)).toEqual([])
    // Far ahead.
    expect(runs(once('2060-01-01T00:00:00'), '2026-01-01T00:00:00Z', 1)).toEqual(['2059-12-31T16:00'])
  })
})

describe('when the clocks change', () => {
  const at = (zone: string, time: string): Schedule => ({ kind: 'daily', zone, times: [time] })

  it('a time that is left out runs as much later as is left out', () => {
    expect(runs(at(berlin, '02:30'), '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:30', '2026-03-30T00:30'])
    expect(runs(at(berlin, '03:00'), '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-29T01:00'])
    // Half hours: Newfoundland is 3:30 behind, and 2:30 in summer.
    expect(runs(at('America/St_Johns', '02:30'), '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T06:00',
      '2026-03-09T05:00',
    ])
    // A change of half an hour.
    expect(runs(at('Australia/Lord_Howe', '02:15'), '2026-10-03T00:00:00Z', 1)).toEqual(['2026-10-03T15:45'])
  })

  it('a time that comes twice runs the first time only', () => {
    expect(runs(at(berlin, '02:30'), '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30'])
    expect(runs(at('America/St_Johns', '01:30'), '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T04:00',
      '2026-11-02T05:00',
    ])
  })

  it('a window is counted in time that passes, and ends by the clock', () => {
    const nightly: Schedule = { kind: 'interval', zone: berlin, everySeconds: 3600, from: '01:00', to: '04:00' }
    expect(runs(nightly, '2026-03-28T20:00:00Z', 3)).toEqual([
      '2026-03-29T00:00',
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ])
    expect(runs(nightly, '2026-03-29T02:00:00Z', 1)).toEqual(['2026-03-29T23:00'])
    expect(runs(nightly, '2026-10-24T20:00:00Z', 5)).toEqual([
      '2026-10-24T23:00',
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
      '2026-10-25T03:00',
    ])
  })

  it('a zone that once skipped a day does not lose a run of another', () => {
    // Samoa had no 30 December 2011: the day's run comes as much later as was left out, with the next one.
    expect(runs(at('Pacific/Apia', '12:00'), '2011-12-29T00:00:00Z', 2)).toEqual([
      '2011-12-29T22:00',
      '2011-12-30T22:00',
    ])
  })
})

describe('windows and pairs', () => {
  it('cross midnight, and belong to the day on which they begin', () => {
    const night: Schedule = {
      kind: 'interval',
      zone: 'UTC',
      everySeconds: 7200,
      from: '22:00',
      to: '02:00',
      days: [5],
    }
    // Friday, 27 November 2026.
    expect(runs(night, '2026-11-27T00:00:00Z', 4)).toEqual([
      '2026-11-27T22:00',
      '2026-11-28T00:00',
      '2026-11-28T02:00',
      '2026-12-04T22:00',
    ])
    // Asked about in the middle of it.
    expect(runs(night, '2026-11-28T00:30:00Z', 1)).toEqual(['2026-11-28T02:00'])
  })

  it('switch on and off, the next day where off is not after on', () => {
    const lamp: Schedule = { kind: 'pair', zone: shanghai, on: '18:00', off: '06:00', days: [1, 2, 3, 4, 5] }
    // Friday 27 November: off on Saturday morning, on again on Monday.
    expect(runs(lamp, '2026-11-27T00:00:00Z', 4)).toEqual([
      '2026-11-27T10:00 on',
      '2026-11-27T22:00 off',
      '2026-11-30T10:00 on',
      '2026-11-30T22:00 off',
    ])
    expect(runs(lamp, '2026-11-27T12:00:00Z', 1)).toEqual(['2026-11-27T22:00 off'])
  })

  it('follow the sun where the device stands, and do nothing where it does not set', () => {
    const lamp: Schedule = {
      kind: 'pair',
      zone: 'Europe/Oslo',
      on: { sun: 'sunset', offsetMinutes: -10 },
      off: { sun: 'sunrise' },
    }
    const tromso = { position: { lat: 69.65, lng: 18.96 } }
    expect(runs(lamp, '2026-06-21T00:00:00Z', 1, tromso)[0]! > '2026-07').toBe(true)
    expect(nextRuns(lamp, iso('2026-06-21T00:00:00Z'), 2)).toEqual([])
    const [on, off] = nextRuns(lamp, iso('2026-03-20T12:00:00Z'), 2, tromso)
    expect([on!.edge, off!.edge]).toEqual(['on', 'off'])
    expect(off!.at - on!.at).toBeGreaterThan(11 * 3_600_000)
  })
})

describe('kinds of days', () => {
  const calendar = { holidays: new Set(['2026-10-01', '2026-10-02']), workdays: new Set(['2026-10-10']) }
  const on = (dayKind: 'workday' | 'holiday'): Schedule => ({ kind: 'daily', zone: 'UTC', times: ['08:00'], dayKind })

  it('are weekends without a calendar', () => {
    expect(runs(on('workday'), '2026-10-02T09:00:00Z', 1)).toEqual(['2026-10-05T08:00'])
    expect(runs(on('holiday'), '2026-10-01T00:00:00Z', 1)).toEqual(['2026-10-03T08:00'])
  })

  it('are those of the calendar: holidays in the week, working days at weekends', () => {
    expect(runs(on('workday'), '2026-09-30T09:00:00Z', 1, { calendar })).toEqual(['2026-10-05T08:00'])
    expect(runs(on('workday'), '2026-10-09T09:00:00Z', 1, { calendar })).toEqual(['2026-10-10T08:00'])
    expect(runs(on('holiday'), '2026-09-30T09:00:00Z', 2, { calendar })).toEqual([
      '2026-10-01T08:00',
      '2026-10-02T08:00',
    ])
  })
})

describe('cron', () => {
  const cron = (expression: string, zone = 'UTC'): Schedule => ({ kind: 'cron', zone, expression })

  it('has five fields, or six with seconds in front', () => {
    expect(runs(cron('*/15 8-9 * * 1-5'), '2026-11-27T09:45:00Z', 2)).toEqual(['2026-11-30T08:00', '2026-11-30T08:15'])
    expect(runs(cron('30 0 22 * * *', shanghai), '2026-11-26T00:00:00Z', 1)).toEqual(['2026-11-26T14:00'])
    expect(runs(cron('0 0 L * *'), '2026-02-01T00:00:00Z', 1)).toEqual(['2026-02-28T00:00'])
  })

  it('that never comes has no runs', () => {
    expect(runs(cron('0 0 30 2 *'), '2026-01-01T00:00:00Z', 3)).toEqual([])
  })
})

describe('the sun', () => {
  // From NOAA's solar calculator, in UTC.
  it.each([
    ['Shanghai, June', '2026-06-21', { lat: 31.23, lng: 121.47 }, '20:51', '11:02'],
    ['Berlin, December', '2026-12-21', { lat: 52.52, lng: 13.405 }, '07:15', '14:54'],
    ['Quito, March', '2026-03-20', { lat: -0.18, lng: -78.47 }, '11:18', '23:25'],
    ['Sydney, December', '2026-12-21', { lat: -33.87, lng: 151.21 }, '18:41', '09:05'],
  ])('rises and sets in %s to within two minutes', (_, day, position, rise, set) => {
    const days = Date.parse(`${day}T00:00:00Z`) / 86_400_000
    const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
    for (const [event, expected] of [
      ['sunrise', rise],
      ['sunset', set],
    ] as const) {
      const at = sunTime(event, days, position)!
      const found = (((at / 60_000) % 1440) + 1440) % 1440
      const away = Math.abs(found - minutes(expected))
      expect(Math.min(away, 1440 - away)).toBeLessThan(2)
    }
  })

  it('does not rise in the polar night nor set in the polar day', () => {
    const tromso = { lat: 69.65, lng: 18.96 }
    const day = (text: string) => Date.parse(text) / 86_400_000
    expect(sunTime('sunrise', day('2026-12-21'), tromso)).toBeNull()
    expect(sunTime('sunset', day('2026-06-21'), tromso)).toBeNull()
  })
})
