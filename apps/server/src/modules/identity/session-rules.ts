import type { SecurityPolicy } from '@thingwright/contracts/security.contract'
import type { SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { allowedBy } from './network.ts'
import { readPolicy } from './security-policy.ts'
import { familyTimes, touchSession } from './sessions.repo.ts'

/** Where a request comes from, as far as it matters for the session it belongs to. */
export interface RequestOrigin {
  ip: string
  /** Seconds since the person last touched anything; absent: just now. Told by the console's own background requests. */
  idleSeconds?: number | undefined
  /** Not a request of a person: an open socket that is asked again. */
  passive?: boolean | undefined
}

/** What is remembered of a session between two looks at the database. */
export interface SessionState {
  policy: SecurityPolicy
  createdAt: number
  lastSeenAt: number
  lastIp: string | null
}

/** last_seen_at is written at most this often. */
const WRITE_EVERY_MS = 60_000

export async function sessionState(
  scope: Pick<SystemScope, 'run'>,
  familyId: string | undefined,
): Promise<SessionState | null> {
  const row = familyId ? await familyTimes(scope, familyId) : null
  if (!row) return null
  return {
    policy: readPolicy(row.security),
    createdAt: row.created_at.getTime(),
    lastSeenAt: row.last_seen_at.getTime(),
    lastIp: row.last_ip,
  }
}

/** Whether a session has come to its end by age or by being idle. */
export function sessionOver(state: SessionState, now: number): boolean {
  const { policy } = state
  if (now >= state.createdAt + policy.sessionHours * 3_600_000) return true
  return policy.idleMinutes > 0 && now >= state.lastSeenAt + policy.idleMinutes * 60_000
}

/**
 * Holds a request against its session's rules and notes that the session is in use.
 * @returns a write that is due (last use, to the minute), or null
 * @throws AppError auth.token_invalid when the session is over, auth.address_refused from outside the company's list
 */
export function admitRequest(
  state: SessionState,
  origin: RequestOrigin,
  now: number,
): ((scope: Pick<SystemScope, 'run'>, familyId: string) => Promise<void>) | null {
  if (sessionOver(state, now)) throw new AppError('auth.token_invalid')
  if (!allowedBy(state.policy.ipAllowList, origin.ip))
    throw new AppError('auth.address_refused', { params: { address: origin.ip } })
  if (origin.passive) return null
  const idle = Math.max(0, origin.idleSeconds ?? 0)
  const seenAt = Number.isFinite(idle) ? now - idle * 1000 : 0
  if (seenAt <= state.lastSeenAt) return null
  // Written more often where sessions end early by being idle, so that an active one is never taken for idle.
  const { idleMinutes } = state.policy
  const every = idleMinutes > 0 ? Math.min(WRITE_EVERY_MS, idleMinutes * 15_000) : WRITE_EVERY_MS
  const due = seenAt >= state.lastSeenAt + every || origin.ip !== state.lastIp
  if (!due) return null
  state.lastSeenAt = seenAt
  state.lastIp = origin.ip
  return (scope, familyId) => touchSession(scope, familyId, new Date(seenAt), origin.ip)
}
