import { describe, expect, it } from 'vitest'
import { createKeyRates } from './key-rate.ts'

function rates(limit: number) {
  const clock = { now: 1_000_000 }
  const rates = createKeyRates(() => clock.now)
  rates.allow('key', limit)
  return { clock, rates }
}

describe('calls of a key in a minute', () => {
  it('are taken up to the limit, then refused with the seconds after which one fits again', () => {
    const { clock, rates: r } = rates(3)
    expect([1, 2, 3].map(() => r.take('key').remaining)).toEqual([2, 1, 0])
    const refused = r.take('key')
    expect(refused).toMatchObject({ taken: false, limit: 3, remaining: 0 })
    clock.now += refused.retryAfterSeconds * 1000 - 2000
    expect(r.take('key').taken).toBe(false)
    clock.now += 2000
    expect(r.take('key').taken).toBe(true)
  })

  it('do not come twice at the turn of a minute', () => {
    const { clock, rates: r } = rates(60)
    clock.now += 59_000
    for (let n = 0; n < 60; n++) expect(r.take('key').taken).toBe(true)
    clock.now += 2000
    let taken = 0
    while (r.take('key').taken) taken++
    expect(taken).toBeLessThanOrEqual(1)
  })

  it('are counted for each key alone, and forgotten after two minutes', () => {
    const { clock, rates: r } = rates(1)
    r.allow('other', 1)
    expect(r.take('key').taken).toBe(true)
    expect(r.take('key').taken).toBe(false)
    expect(r.take('other').taken).toBe(true)
    clock.now += 120_000
    expect(r.take('key').taken).toBe(true)
  })

  it('follow a changed limit at once', () => {
    const { rates: r } = rates(1)
    expect(r.take('key').taken).toBe(true)
    r.allow('key', 2)
    expect(r.take('key').taken).toBe(true)
    r.allow('key', 1)
    expect(r.take('key')).toMatchObject({ taken: false, limit: 1 })
  })
})
