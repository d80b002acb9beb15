import { describe, expect, it } from 'vitest'
import { Throttle } from './throttle.ts'

/** A machine on which a message costs so many CPU microseconds and others use a share of a core meanwhile. */
function runOn(machine: { costUs: number; othersShare: number; ackMs: number }, seconds: number) {
  let now = 1_000_000
  let cpu = 5
  const live = (ms: number) => {
    now += ms
    cpu += (ms / 1_000) * machine.othersShare
  }
  const throttle = new Throttle(() => cpu, now)
  const start = { now, cpu }
  let messages = 0
  let half = { now, cpu, messages }
  while (now < start.now + seconds * 1_000) {
    live(machine.ackMs)
    cpu += (100 * machine.costUs) / 1e6
    messages += 100
    live(throttle.sent(100, machine.ackMs, now))
    if (now < start.now + seconds * 500) half = { now, cpu, messages }
  }
  const elapsed = (now - half.now) / 1_000
  return {
    share: (cpu - half.cpu) / elapsed,
    rate: (messages - half.messages) / elapsed,
    finalRate: throttle.rate,
  }
}

describe('the pace of the history', () => {
  it('begins slowly', () => {
    const throttle = new Throttle(() => 0, 0)
    expect(throttle.rate).toBeLessThanOrEqual(300)
    // A whole second's worth is let through on credit, then the pace counts.
    throttle.sent(300, 5, 10)
    expect(throttle.sent(300, 5, 20)).toBeGreaterThan(900)
  })

  it('settles below 30 % of a core, and uses most of that', () => {
    const { share, rate } = runOn({ costUs: 120, othersShare: 0.05, ackMs: 8 }, 120)
    expect(share).toBeLessThan(0.31)
    expect(share).toBeGreaterThan(0.2)
    expect(rate).toBeGreaterThan(1_200)
  })

  it('takes less when a message costs more', () => {
    expect(runOn({ costUs: 1_000, othersShare: 0, ackMs: 8 }, 120).share).toBeLessThan(0.31)
  })

  it('all but stops while others need the machine, yet goes on', () => {
    const { finalRate, rate } = runOn({ costUs: 50, othersShare: 0.8, ackMs: 8 }, 120)
    expect(finalRate).toBeLessThanOrEqual(30)
    expect(rate).toBeGreaterThan(20)
  })

  it('gives way to slow acknowledgements although the CPU is idle', () => {
    expect(runOn({ costUs: 1, othersShare: 0, ackMs: 400 }, 60).finalRate).toBeLessThanOrEqual(50)
  })

  it('knows an upper end where CPU cannot be told', () => {
    let now = 0
    const throttle = new Throttle(() => null, now)
    for (let i = 0; i < 200; i++) {
      now += 1_000
      throttle.sent(100, 5, now)
    }
    expect(throttle.rate).toBe(5_000)
  })
})
