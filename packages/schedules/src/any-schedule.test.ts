import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextRuns, parseSchedule, type Run, type Schedule } from './index.ts'

fc.configureGlobal({ seed: 20_261_126 })

const zone = fc.constantFrom('UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe')
const two = (n: number) => String(n).padStart(2, '0')
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([h, m]) => `${two(h)}:${two(m)}`)
const times = fc.array(time, { minLength: 1, maxLength: 3 })
const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
const schedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ kind: fc.constant('daily' as const), zone, times }),
  fc.record({ kind: fc.constant('weekly' as const), zone, days, times }),
  fc.record({
    kind: fc.constant('monthly' as const),
    zone,
    days: fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constant('last' as const)), { minLength: 1 }),
    times,
  }),
  fc.record({
    kind: fc.constant('interval' as const),
    zone,
    everySeconds: fc.integer({ min: 600, max: 20_000 }),
    from: time,
    to: time,
  }),
  fc
    .record({ kind: fc.constant('pair' as const), zone, on: time, off: time, days })
    .filter(({ on, off }) => on !== off),
)
// Around both changes of the clocks and the turn of a year, and anywhere else.
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 2, 7), max: Date.UTC(2026, 2, 30) }),
  fc.integer({ min: Date.UTC(2026, 9, 23), max: Date.UTC(2026, 10, 3) }),
  fc.integer({ min: Date.UTC(2026, 11, 30), max: Date.UTC(2027, 0, 2) }),
  fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
)

describe('whatever the schedule', () => {
  it('its runs come one after the other, and asking again from any of them goes on with the next', () => {
    fc.assert(
      fc.property(schedule, moment, (given, after) => {
        expect(parseSchedule(given).ok).toBe(true)
        const runs = nextRuns(given, after, 8)
        expect(runs).toHaveLength(8)
        const keys = runs.map(({ at, edge }) => `${at} ${edge}`)
        expect(new Set(keys).size).toBe(8)
        for (const [at, run] of runs.entries()) {
          expect(run.at).toBeGreaterThan(at === 0 ? after : runs[at - 1]!.at - 1)
        }
        // A worker that takes the runs one at a time meets each of them, and no other.
        const met: Run[] = []
        let now = after
        while (met.length < 8) {
          const [next] = nextRuns(given, now, 1)
          met.push(...nextRuns(given, now, 2).filter(({ at }) => at === next!.at))
          now = next!.at
        }
        expect(met.slice(0, 8)).toEqual(runs)
      }),
      { numRuns: 400 },
    )
  })

  it('a daily time and the same time as a cron expression agree, but where the clocks change', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: Date.UTC(2026, 3, 1), max: Date.UTC(2026, 8, 1) }), (text, after) => {
        const [hour, minute] = text.split(':').map(Number)
        const daily = nextRuns({ kind: 'daily', zone: 'Europe/Berlin', times: [text] }, after, 5)
        const expression = `${minute} ${hour} * * *`
        expect(daily).toEqual(nextRuns({ kind: 'cron', zone: 'Europe/Berlin', expression }, after, 5))
      }),
      { numRuns: 60 },
    )
  })
})
