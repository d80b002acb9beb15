import { createHmac } from 'node:crypto'
import { addressKey } from '../../lib/client-address.ts'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Captchas } from './captchas.ts'
import type { LoginRow } from './identity.repo.ts'
import type { KnownBrowsers } from './known-browsers.ts'
import type { Peer } from './session-start.ts'
import {
  addressFailures,
  deleteFailures,
  deleteLoginFailures,
  insertFailure,
  lockSubject,
  subjectFailures,
  sweepFailures,
} from './sign-in-guard.repo.ts'

/** After so many failures a captcha is asked for, after so many the name or the address waits (interfaces.md §3). */
export const CAPTCHA_AFTER = 3
export const LOCK_AFTER = 5
export const LOCK_MINUTES = 15

const LOCK_MS = LOCK_MINUTES * 60_000
/** Failures without a success between them are counted for a day; every fifth locks again. */
const REMEMBERED_MS = 86_400_000

export interface Attempt {
  /** The try that is about to be made counts as failed until it succeeds. */
  subject: Buffer
  /** This very try, should it fail, locks the name. */
  lastBeforeLock: boolean
}

export type AttemptDecision =
  | { go: Attempt }
  | { locked: { seconds: number } }
  | { captcha: 'auth.captcha_required' | 'auth.captcha_wrong' }

export interface SignInGuard {
  /**
   * Decides whether a try with a password may be made, and counts it. The decision is the same for names that exist
   * and names that do not. Nothing is thrown, so that the count is committed.
   */
  attempt(
    scope: SystemScope,
    who: { login: LoginRow | null; username: string },
    peer: Peer,
    captcha: { id?: string | undefined; answer?: string | undefined },
  ): Promise<AttemptDecision>
  succeeded(scope: SystemScope, attempt: Attempt): Promise<void>
  /** Forgets the failures of a login: another proof was given (a code), or an administrator unlocks. */
  unlock(scope: SystemScope, loginId: string): Promise<number>
}

/** Until when failures lock a name; null when they do not. @param count since the last success, within a day */
export function lockedUntil(count: number, last: Date | null): Date | null {
  return last && count > 0 && count % LOCK_AFTER === 0 ? new Date(last.getTime() + LOCK_MS) : null
}

/** @throws AppError auth.locked, auth.captcha_required, auth.captcha_wrong for a decision that is not `go` */
export function goOrThrow(decision: AttemptDecision): Attempt {
  if ('go' in decision) return decision.go
  if ('locked' in decision)
    throw new AppError('auth.locked', {
      params: { seconds: decision.locked.seconds, minutes: Math.ceil(decision.locked.seconds / 60) },
      retryAfterSeconds: decision.locked.seconds,
    })
  throw new AppError(decision.captcha)
}

export interface SignInGuardOptions {
  captchas: Captchas
  browsers: KnownBrowsers
  secretKey: string
  now(): number
}

export function createSignInGuard({ captchas, browsers, secretKey, now }: SignInGuardOptions): SignInGuard {
  const key = deriveKey(secretKey, 'sign-in-subject')
  const subjectOf = (text: string) => createHmac('sha256', key).update(text).digest()

  return {
    async attempt(scope, { login, username }, peer, captcha) {
      const at = now()
      const address = addressKey(peer.ip)
      // A browser in which this person signed in before has a count of its own: a stranger's guesses do not lock it out.
      const browser = login ? browsers.read(peer.browser, login.id) : null
      const base = login ? `login:${login.id}` : `name:${username.normalize('NFKC').toLowerCase()}`
      const subject = subjectOf(browser ? `${base}:${browser}` : base)
      await lockSubject(scope, subject)

      const own = await subjectFailures(scope, subject, new Date(at - REMEMBERED_MS))
      const around = browser
        ? { count: 0, last: null }
        : await addressFailures(scope, address, new Date(at - LOCK_MS), LOCK_MS)
      const until = Math.max(
        lockedUntil(own.count, own.last)?.getTime() ?? 0,
        around.count >= LOCK_AFTER ? (around.last?.getTime() ?? 0) + LOCK_MS : 0,
      )
      if (until > at) return { locked: { seconds: Math.ceil((until - at) / 1000) } }
      if (own.count >= CAPTCHA_AFTER || around.count >= CAPTCHA_AFTER) {
        const answer = await captchas.check(scope, captcha.id, captcha.answer)
        if (answer !== 'right')
          return { captcha: answer === 'missing' ? 'auth.captcha_required' : 'auth.captcha_wrong' }
      }
      await sweepFailures(scope, new Date(at - REMEMBERED_MS))
      await insertFailure(scope, { subject, loginId: login?.id ?? null, address, at: new Date(at) })
      return { go: { subject, lastBeforeLock: (own.count + 1) % LOCK_AFTER === 0 } }
    },
    succeeded: (scope, attempt) => deleteFailures(scope, attempt.subject),
    unlock: deleteLoginFailures,
  }
}
