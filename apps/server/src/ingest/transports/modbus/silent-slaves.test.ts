import { describe, expect, it } from 'vitest'
import { SilentSlaves } from './silent-slaves.ts'
import { nextPoll, type Slave } from './slave.ts'

const TIMEOUT_MS = 2_000
const HOUR_MS = 3_600_000

/** A bus in time that is counted: entries wait in a list, a poll of a dead slave takes as long as its time-out. */
function world() {
  let now = 0
  const timers: { time: number; callback: () => void }[] = []
  const asked = new Map<Slave, number>()
  const silent = new SilentSlaves({
    now: () => now,
    at: (time, callback) => void timers.push({ time, callback }),
    poll: slave => {
      asked.set(slave, (asked.get(slave) ?? 0) + 1)
      slave.dueAt = nextPoll(slave, now)
      timers.push({ time: slave.dueAt, callback: () => silent.add(slave) })
      return new Promise(resolve =>
        timers.push({
          time: now + TIMEOUT_MS,
          callback: () => {
            if (slave.failures++ > 0) silent.charge(TIMEOUT_MS)
            resolve()
          },
        }),
      )
    },
  })
  const slave = (failures = 0) =>
    ({ failures, dueAt: 0, gone: false, queued: false, polling: { cycleSeconds: 1 } }) as unknown as Slave
  return {
    silent,
    asked,
    slave,
    async run(until: number) {
      for (;;) {
        timers.sort((a, b) => a.time - b.time)
        if (!timers[0] || timers[0].time > until) break
        const { time, callback } = timers.shift()!
        now = Math.max(now, time)
        callback()
        // What a poll's end sets off comes before the next entry.
        for (let i = 0; i < 5; i++) await Promise.resolve()
      }
      now = until
    },
  }
}
const total = (asked: Map<Slave, number>) => [...asked.values()].reduce((sum, times) => sum + times, 0)

describe('slaves that do not answer', () => {
  it.each([1, 5, 80])('%i of them together take at most a tenth of the time, and each has its turn', async count => {
    const { silent, asked, slave, run } = world()
    const dead = Array.from({ length: count }, () => slave(1))
    for (const one of dead) silent.add(one)
    await run(HOUR_MS)
    expect(total(asked) * TIMEOUT_MS).toBeLessThanOrEqual(HOUR_MS / 10 + TIMEOUT_MS)
    const times = dead.map(one => asked.get(one) ?? 0)
    expect(Math.min(...times)).toBeGreaterThan(0)
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(1)
  })

  it('one that was never asked does not wait behind them; one that is gone is not asked', async () => {
    const { silent, asked, slave, run } = world()
    const [first, second, gone, fresh] = [slave(1), slave(1), slave(1), slave()]
    for (const one of [first, second, gone]) silent.add(one)
    await run(TIMEOUT_MS + 1)
    gone.gone = true
    silent.add(fresh)
    expect([first, second, fresh].map(one => asked.get(one) ?? 0)).toEqual([1, 0, 1])
    await run(HOUR_MS)
    expect(asked.has(gone)).toBe(false)
  })
})
