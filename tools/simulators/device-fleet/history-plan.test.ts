import { describe, expect, it } from 'vitest'
import fc from '../../lib/fast-check.ts'
import { planHistory } from './history-plan.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const NOW = Date.UTC(2026, 5, 8, 3, 4, 5, 678)

describe('the history of the demo', () => {
  it('covers seven days of 64 devices with at most 500,000 messages', () => {
    const plan = planHistory(64, NOW, 7, 500_000)!
    expect(plan.perDevice * 64).toBeLessThanOrEqual(500_000)
    expect(plan).toMatchObject({ intervalMs: 2 * MINUTE, perDevice: 7 * 720 })
    expect(plan.to).toBeLessThanOrEqual(NOW)
    expect(NOW - plan.to).toBeLessThan(plan.intervalMs)
    expect(plan.to - plan.from).toBe(7 * DAY)
  })

  it('for any fleet: within the bound, the whole span, in steps of whole minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: NOW, max: NOW + DAY }),
        (devices, days, bound, now) => {
          const plan = planHistory(devices, now, days, bound)
          if (!plan) {
            expect(bound / devices).toBeLessThan(2)
            return
          }
          expect(plan.perDevice * devices).toBeLessThanOrEqual(bound)
          expect(plan.intervalMs % MINUTE).toBe(0)
          expect(plan.from % MINUTE).toBe(0)
          expect(plan.from + plan.perDevice * plan.intervalMs).toBe(plan.to)
          expect(plan.to).toBeLessThanOrEqual(now)
          expect(now - plan.to).toBeLessThan(plan.intervalMs)
          // Nothing is left out but the rest of a division.
          expect(plan.to - plan.from).toBeGreaterThan(days * DAY - plan.intervalMs)
        },
      ),
    )
  })

  it('is none without devices or without room', () => {
    expect(planHistory(0, NOW, 7, 500_000)).toBeNull()
    expect(planHistory(10, NOW, 7, 19)).toBeNull()
  })
})
