import { describe, expect, it } from 'vitest'
import { ManualClock } from '../lib/clock.ts'
import { LANES, laneOf } from '../lib/journal/journal-lanes.ts'
import fc from '../lib/testing/fast-check.ts'
import { Arrivals, MOST_AHEAD_MS, type ReservedArrivals } from './arrivals.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

function world(at = NOW) {
  const clock = new ManualClock(at)
  const monotonic = new ManualClock(0)
  const arrivals = new Arrivals(clock, monotonic)
  const pass = (ms: number) => {
    clock.advance(ms)
    monotonic.advance(ms)
  }
  return { clock, monotonic, arrivals, pass, next: (device: number) => arrivals.next(device, clock.now()) }
}

/** What is on disk: the lane's last row, and the times that were written with it. */
class Disk {
  readonly last = new Array<number>(LANES).fill(0)
  readonly until = new Map<number, number>()

  flush(arrivals: Arrivals, rows: readonly { device: number; arrivedAt: number }[]): void {
    for (const { device, arrivedAt } of rows) {
      const lane = laneOf(device)
      this.last[lane] = Math.max(this.last[lane]!, arrivedAt)
    }
    for (let lane = 0; lane < LANES; lane++) {
      const ahead = arrivals.toWrite(lane)
      if (!ahead) continue
      for (const [i, device] of ahead.devices.entries()) this.until.set(device, ahead.until[i]!)
      arrivals.written(lane, ahead)
    }
  }

  begin(arrivals: Arrivals): void {
    for (let lane = 0; lane < LANES; lane++) {
      const own = [...this.until].filter(([device, at]) => laneOf(device) === lane && at > this.last[lane]!)
      const written: ReservedArrivals = { devices: own.map(([device]) => device), until: own.map(([, at]) => at) }
      arrivals.begin(lane, this.last[lane]!, written)
    }
  }
}

describe('arrivals', () => {
  it('are the clock where it moves, and a millisecond apart where it does not', () => {
    const { next, pass } = world()
    expect([next(1), next(1), next(2), next(1)]).toEqual([NOW, NOW + 1, NOW, NOW + 2])
    pass(10)
    expect([next(1), next(2)]).toEqual([NOW + 10, NOW + 10])
  })

  it('grow for every device, whatever the clock does and however often the process begins anew', () => {
    const step = fc.record({
      device: fc.constantFrom(1, 2, 4_097, 1_000_000),
      messages: fc.integer({ min: 1, max: 4_000 }),
      ms: fc.integer({ min: -400_000, max: 5_000 }),
      after: fc.constantFrom('', '', '', 'flush', 'begin'),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), steps => {
        const disk = new Disk()
        const clock = new ManualClock(NOW)
        let arrivals = new Arrivals(clock, clock)
        const stored = new Map<number, number>()
        let taken: { device: number; arrivedAt: number; ts: number }[] = []
        const commit = () => {
          disk.flush(arrivals, taken)
          const twice = taken.filter(({ device, ts }) => {
            const last = stored.get(device) ?? 0
            stored.set(device, ts)
            return ts <= last
          })
          expect(twice).toEqual([])
          taken = []
        }
        for (const { device, messages, ms, after } of steps) {
          clock.advance(ms)
          const arrivedAt = clock.now()
          for (let i = 0; i < messages; i++) taken.push({ device, arrivedAt, ts: arrivals.next(device, arrivedAt) })
          if (after === 'flush') commit()
          if (after === 'begin') {
            // What was not flushed is lost, and was never acknowledged.
            taken = []
            arrivals = new Arrivals(clock, clock)
            disk.begin(arrivals)
          }
        }
        commit()
      }),
      { numRuns: 100 },
    )
  })

  it('do not begin anew at another process’ last row but beyond it, where it wrote the lane meanwhile', () => {
    const { arrivals, next } = world()
    expect(next(2)).toBe(NOW)
    arrivals.begin(laneOf(2), NOW + 5_000, { devices: [4], until: [NOW + 90_000] })
    expect(next(2)).toBeGreaterThan(NOW + 5_000)
    expect(next(4)).toBe(NOW + 90_001)
    // The other lane is not touched.
    expect(next(1)).toBe(NOW)
  })

  it('are written beyond what was given, once, and again when the device got further meanwhile', () => {
    const { arrivals, next } = world()
    const lane = laneOf(1)
    for (let i = 0; i < 1_500; i++) next(1)
    const first = arrivals.toWrite(lane)!
    expect(first).toEqual({ devices: [1], until: [NOW + 2_001] })
    for (let i = 0; i < 600; i++) next(1)
    arrivals.written(lane, first)
    const second = arrivals.toWrite(lane)!
    expect(second).toEqual({ devices: [1], until: [NOW + 3_002] })
    arrivals.written(lane, second)
    expect(arrivals.toWrite(lane)).toBeNull()
  })

  it('hold a device, and the gateway that speaks for it, once it is minutes ahead of the clock', () => {
    const { arrivals, clock, pass, next } = world()
    for (let i = 0; i <= MOST_AHEAD_MS; i++) next(1)
    expect([arrivals.waitMs(1), arrivals.waitMs(2)]).toEqual([0, 0])
    next(1)
    expect(arrivals.waitMs(1)).toBe(1)
    pass(1)
    expect(arrivals.waitMs(1)).toBe(0)
    for (let i = 0; i < 100; i++) arrivals.next(1, clock.now(), 9)
    expect(arrivals.waitMs(9)).toBe(100)
    pass(100)
    expect([arrivals.waitMs(9), arrivals.waitMs(1)]).toEqual([0, 0])
  })

  it('hold nobody for the hour that a clock was set back', () => {
    const { arrivals, clock, pass, next } = world()
    for (let i = 0; i <= MOST_AHEAD_MS + 50; i++) next(1)
    clock.advance(-3_600_000)
    expect(arrivals.waitMs(1)).toBe(50)
    pass(50)
    expect(arrivals.waitMs(1)).toBe(0)
    expect(next(2)).toBe(NOW - 3_600_000 + 50)
  })
})
