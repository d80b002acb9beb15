import { daysLeft } from './days-left.ts'
import type { TenantStatus } from './tenants.service.ts'

const DAY_MS = 86_400_000
/** Days in which a paid company that has run out still works. A trial has none unless the operator gives some. */
export const GRACE_DAYS = 7
/** Days before an end at which the company is told. */
export const NOTICE_DAYS = [7, 3, 1] as const

/** What decides about a company's state over time. Times in epoch ms. */
export interface Term {
  status: TenantStatus
  expiresAt: number | null
  graceEndsAt: number | null
  graceDays: number | null
}

/**
 * Whether devices are let in. In grace they are, so that a late payment loses nothing. After it, and while a company is
 * frozen or not activated, they are refused with the reason "company_closed": a device keeps what it measured and tries again.
 */
export function takesData(status: TenantStatus): boolean {
  return status === 'trial' || status === 'active' || status === 'grace'
}

/** Days of grace that the company has. */
export function graceDaysOf(term: Pick<Term, 'status' | 'graceDays'>): number {
  return term.graceDays ?? (term.status === 'trial' ? 0 : GRACE_DAYS)
}

/** The term as time has made it: a trial or a paid term that ended goes to grace or ends; a grace that ended ends. */
export function afterTime(term: Term, now: number): Term {
  if ((term.status === 'trial' || term.status === 'active') && term.expiresAt !== null && term.expiresAt <= now) {
    const graceEndsAt = term.expiresAt + graceDaysOf(term) * DAY_MS
    if (graceEndsAt > term.expiresAt) return afterTime({ ...term, status: 'grace', graceEndsAt }, now)
    return { ...term, status: 'expired', graceEndsAt: null }
  }
  if (term.status === 'grace' && (term.graceEndsAt ?? 0) <= now) return { ...term, status: 'expired' }
  return term
}

/** The threshold in days (7, 3, 1) before the next end that the company has passed, in days of its calendar, or null. */
export function noticeDue(term: Term, now: number, timeZone: string): (typeof NOTICE_DAYS)[number] | null {
  const end = term.status === 'grace' ? term.graceEndsAt : takesData(term.status) ? term.expiresAt : null
  if (end === null || end <= now) return null
  const left = daysLeft(end, now, timeZone)
  return NOTICE_DAYS.findLast(days => left <= days) ?? null
}
