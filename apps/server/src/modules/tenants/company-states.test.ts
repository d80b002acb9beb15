import { describe, expect, it } from 'vitest'
import { afterTime, noticeDue, type Term, takesData } from './company-states.ts'

const DAY = 86_400_000
const END = Date.UTC(2026, 5, 1)
const term = (status: Term['status'], over: Partial<Term> = {}): Term => ({
  status,
  expiresAt: END,
  graceEndsAt: null,
  graceDays: null,
  ...over,
})

describe('the state of a company over time', () => {
  it('stays while the term lasts, and for ever without an end', () => {
    for (const status of ['trial', 'active'] as const) {
      expect(afterTime(term(status), END - 1).status).toBe(status)
      expect(afterTime(term(status, { expiresAt: null }), END + 9999 * DAY).status).toBe(status)
    }
  })

  it('ends a trial at once', () => expect(afterTime(term('trial'), END)).toMatchObject({ status: 'expired' }))

  it('gives a trial the grace that the operator set', () =>
    expect(afterTime(term('trial', { graceDays: 2 }), END)).toMatchObject({
      status: 'grace',
      graceEndsAt: END + 2 * DAY,
    }))

  it('gives a paid company seven days', () => {
    expect(afterTime(term('active'), END)).toMatchObject({ status: 'grace', graceEndsAt: END + 7 * DAY })
    expect(afterTime(term('active'), END + 7 * DAY - 1).status).toBe('grace')
    expect(afterTime(term('active'), END + 7 * DAY).status).toBe('expired')
    expect(afterTime(term('active', { graceDays: 0 }), END).status).toBe('expired')
  })

  it('catches up with what happened while the server was off', () =>
    expect(afterTime(term('active'), END + 400 * DAY)).toMatchObject({ status: 'expired' }))

  it('leaves what the operator decided', () => {
    for (const status of ['inactive', 'frozen', 'expired'] as const)
      expect(afterTime(term(status), END + 400 * DAY).status).toBe(status)
  })

  it('lets devices in while it lasts and in grace, and not otherwise', () => {
    expect((['trial', 'active', 'grace'] as const).every(takesData)).toBe(true)
    expect((['inactive', 'frozen', 'expired'] as const).some(takesData)).toBe(false)
  })
})

describe('the warning before the end', () => {
  it('comes at 7, 3 and 1 days', () => {
    const at = (days: number, over: Partial<Term> = {}) => noticeDue(term('active', over), END - days * DAY, 'UTC')
    expect([8, 7, 4, 3, 2, 1, 0.1, 0].map(days => at(days))).toEqual([null, 7, 7, 3, 3, 1, 1, null])
    expect(at(1, { expiresAt: null })).toBeNull()
  })

  it('counts to the end of the grace once that runs', () => {
    const graced = term('grace', { graceEndsAt: END + 7 * DAY })
    expect(noticeDue(graced, END + 6.5 * DAY, 'UTC')).toBe(1)
    expect(noticeDue(graced, END + 1, 'UTC')).toBe(7)
  })
})
