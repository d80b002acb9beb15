import type { ErrorCode } from '@thingwright/contracts/errors'
import { recordAudit } from '../../lib/audit.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { normalisePhone } from './addresses.ts'
import {
  type LoginRow,
  lockFamily,
  loginById,
  loginByPhone,
  loginByUsername,
  revokeFamily,
  rotateFamily,
} from './identity.repo.ts'
import { allowedBy } from './network.ts'
import { verifyPassword } from './passwords.ts'
import type { SecondStep, SignInGate, StepInput } from './second-step.ts'
import { sessionOver, sessionState } from './session-rules.ts'
import type { Peer, SessionStart, SignInGrant, TokenReplyWithRefresh } from './session-start.ts'
import { contextOf } from './session-start.ts'
import { type Attempt, goOrThrow, type SignInGuard } from './sign-in-guard.ts'
import type { SignInWatch } from './sign-in-history.ts'
import type { SmsCodes } from './sms-codes.ts'
import { REFRESH_DAYS, REFRESH_OVERLAP_SECONDS, type Tokens, tokenHash } from './tokens.ts'

export interface TokenInput extends StepInput {
  grant_type: string
  username?: string | undefined
  password?: string | undefined
  captcha_id?: string | undefined
  captcha?: string | undefined
  phone?: string | undefined
  code?: string | undefined
  refresh_token?: string | undefined
}

export interface TokenGrantOptions {
  database: Database
  tokens: Tokens
  smsCodes: SmsCodes
  guard: SignInGuard
  sessions: SessionStart
  /** What stands between the proof and the session: second step, allowed addresses, passwords to be changed. */
  gate?: SignInGate
  /** The grants that finish a sign-in, and passkeys. */
  steps?: SecondStep['grants']
  watch?: SignInWatch
  /** Why an end user may not come in although his login is active: he expired, or somebody above him is closed. */
  endUserClosed(scope: SystemScope, loginId: string): Promise<'auth.login_frozen' | 'end_user.expired' | null>
  /** Told once when a login's name was locked by failed tries. */
  onLocked(login: LoginRow, peer: Peer): void
  now(): number
}

/** The grants of /oauth/token. */
export type TokenGrants = (clientId: string, input: TokenInput, peer: Peer) => Promise<TokenReplyWithRefresh>

/** An AppError is thrown after the commit: what was counted or made on the way to it stays. */
type Outcome = TokenReplyWithRefresh | AppError | null

/** Whether a person in this state may sign in. People who left are gone like people who never were. */
function refusedState(login: LoginRow): 'frozen' | 'gone' | null {
  return login.state === 'active' ? null : login.state === 'frozen' ? 'frozen' : 'gone'
}

export function createTokenGrants(options: TokenGrantOptions): TokenGrants {
  const { database, tokens, guard, sessions, now } = options

  /** Refusals are written too, when they concern a login that exists. */
  async function refuse(
    scope: SystemScope,
    login: LoginRow | null,
    clientId: string,
    peer: Peer,
    grant: SignInGrant,
    reason: ErrorCode,
  ): Promise<null> {
    if (login) {
      await options.watch?.refused(scope, login, clientId, peer, grant, reason)
      await recordAudit(scope, contextOf(login, peer), {
        action: 'session.sign_in',
        objectType: 'login',
        objectId: login.id,
        objectName: login.username,
        after: { grant },
        result: 'refused',
      })
    }
    return null
  }

  /** A proven person: comes in unless he is frozen or gone. */
  async function admit(
    scope: SystemScope,
    login: LoginRow,
    clientId: string,
    peer: Peer,
    grant: SignInGrant,
  ): Promise<Outcome> {
    const refused = refusedState(login)
    if (refused === 'gone') return refuse(scope, login, clientId, peer, grant, 'auth.wrong_credentials')
    if (refused === 'frozen') {
      await options.watch?.refused(scope, login, clientId, peer, grant, 'auth.login_frozen')
      return new AppError('auth.login_frozen')
    }
    const closed = login.kind === 'end_user' ? await options.endUserClosed(scope, login.id) : null
    if (closed) {
      await options.watch?.refused(scope, login, clientId, peer, grant, closed)
      return new AppError(closed)
    }
    const held = await options.gate?.(scope, login, clientId, peer, grant)
    return held ?? sessions.begin(scope, login, clientId, peer, grant)
  }

  async function byPassword(clientId: string, input: TokenInput, peer: Peer): Promise<TokenReplyWithRefresh> {
    const username = input.username?.trim() ?? ''
    // The try is counted before the password is looked at, so that guesses sent together do not pass together.
    const { login, decision } = await database.withSystemScope('sign-in', async scope => {
      const found = username ? await loginByUsername(scope, username, peer) : null
      const captcha = { id: input.captcha_id, answer: input.captcha }
      return { login: found, decision: await guard.attempt(scope, { login: found, username }, peer, captcha) }
    })
    const attempt: Attempt = goOrThrow(decision)
    const right = await verifyPassword(login?.password_hash ?? null, input.password ?? '')
    const result = await database.withSystemScope('sign-in', async (scope): Promise<Outcome> => {
      if (!right || !login) return refuse(scope, login, clientId, peer, 'password', 'auth.wrong_credentials')
      await guard.succeeded(scope, attempt)
      return admit(scope, login, clientId, peer, 'password')
    })
    if (!right && login && attempt.lastBeforeLock) options.onLocked(login, peer)
    if (result instanceof AppError) throw result
    if (!result) throw new AppError('auth.wrong_credentials')
    return result
  }

  async function byCode(clientId: string, input: TokenInput, peer: Peer): Promise<TokenReplyWithRefresh> {
    const phone = normalisePhone(input.phone ?? '')
    // The attempt is counted even when it fails, so nothing is thrown inside the transaction.
    const result = await database.withSystemScope('sign-in', async (scope): Promise<Outcome> => {
      const right = await options.smsCodes.consume(scope, phone, 'sign_in', input.code ?? '', peer)
      const login = await loginByPhone(scope, phone, peer)
      if (!right || !login) return refuse(scope, login, clientId, peer, 'sms_code', 'auth.code_wrong')
      // Somebody may have locked the name by guessing: its owner has just shown that it is his.
      await guard.unlock(scope, login.id)
      return admit(scope, login, clientId, peer, 'sms_code')
    })
    if (result instanceof AppError) throw result
    if (!result) throw new AppError('auth.code_wrong')
    return result
  }

  async function byRefresh(
    clientId: string,
    refreshToken: string | undefined,
    peer: Peer,
  ): Promise<TokenReplyWithRefresh> {
    const parsed = refreshToken ? tokens.parseRefresh(refreshToken) : null
    if (!parsed) throw new AppError('auth.refresh_invalid')
    const result = await database.withSystemScope('sign-in', async scope => {
      const family = await lockFamily(scope, parsed.familyId)
      if (!family || family.revoked_at || family.client_id !== clientId || family.expires_at.getTime() <= now())
        return 'invalid' as const
      const login = await loginById(scope, family.login_id)
      if (login?.state !== 'active') return 'invalid' as const
      if (login.kind === 'end_user' && (await options.endUserClosed(scope, login.id))) return 'invalid' as const
      const session = await sessionState(scope, family.id)
      if (session && sessionOver(session, now())) {
        await revokeFamily(scope, family.id, 'over')
        return 'invalid' as const
      }
      if (session && !allowedBy(session.policy.ipAllowList, peer.ip)) return 'address' as const
      if (parsed.counter === family.counter) {
        const next = tokens.refreshToken(family.id, family.counter + 1)
        await rotateFamily(scope, family.id, {
          counter: family.counter + 1,
          hash: tokenHash(next),
          previousUntil: new Date(now() + REFRESH_OVERLAP_SECONDS * 1000),
          expiresAt: new Date(now() + REFRESH_DAYS * 86_400_000),
        })
        return sessions.reply(login, family.id, next)
      }
      // A second tab held the token that another tab has just replaced: it gets the same successor.
      if (parsed.counter === family.counter - 1 && family.previous_until && family.previous_until.getTime() > now())
        return sessions.reply(login, family.id, tokens.refreshToken(family.id, family.counter))
      await revokeFamily(scope, family.id, 'reused')
      return 'reused' as const
    })
    if (result === 'invalid') throw new AppError('auth.refresh_invalid')
    if (result === 'address') throw new AppError('auth.address_refused', { params: { address: peer.ip } })
    if (result === 'reused') throw new AppError('auth.refresh_reused')
    return result
  }

  return async (clientId, input, peer) => {
    if (input.grant_type === 'password') return byPassword(clientId, input, peer)
    if (input.grant_type === 'sms_code') return byCode(clientId, input, peer)
    if (input.grant_type === 'refresh_token') return byRefresh(clientId, input.refresh_token, peer)
    const { steps } = options
    if (steps && Object.hasOwn(steps, input.grant_type))
      return steps[input.grant_type as keyof typeof steps](clientId, input, peer)
    throw new AppError('auth.grant_unsupported')
  }
}
