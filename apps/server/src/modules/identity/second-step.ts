import { createHash, randomBytes } from 'node:crypto'
import type { ProofMethod } from '@thingwright/contracts/security.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Locale } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { maskAddress } from './addresses.ts'
import type { FactorInput, Factors } from './factors.ts'
import { type LoginRow, loginById } from './identity.repo.ts'
import { allowedBy } from './network.ts'
import { CODE_MINUTES, type OneTimeCodes, RESEND_SECONDS } from './one-time-codes.ts'
import type { Ceremony, Passkeys, RelyingParty } from './passkeys.ts'
import { passwordExpired } from './password-rules.ts'
import {
  countTry,
  insertTicket,
  lockTicket,
  type SecurityRow,
  securityRow,
  setFactors,
  type TicketRow,
  useTicket,
} from './security.repo.ts'
import type { SecurityMessages } from './security-messages.ts'
import { readPolicy } from './security-policy.ts'
import {
  contextOf,
  type Peer,
  type SessionStart,
  type SignInGrant,
  type TokenReplyWithRefresh,
} from './session-start.ts'
import type { SignInWatch } from './sign-in-history.ts'
import type { Totp } from './totp.ts'

/** Minutes a half open sign-in waits for its second step, and how many tries it has. */
export const TICKET_MINUTES = 5
export const TICKET_TRIES = 5

/**
 * Stands between the proof and the session: addresses the company allows, second step, passwords that have to be
 * changed. Returns what is still in the way, to be thrown after the commit; null: the session may begin.
 */
export type SignInGate = (
  scope: SystemScope,
  login: LoginRow,
  clientId: string,
  peer: Peer,
  grant: SignInGrant,
) => Promise<AppError | null>

/** Fields of the grants that finish a sign-in. */
export interface StepInput {
  ticket?: string | undefined
  method?: string | undefined
  code?: string | undefined
  password?: string | undefined
  new_password?: string | undefined
  challenge_id?: string | undefined
  /** What the browser's passkey answered, as JSON text: the token endpoint takes forms. */
  response?: string | undefined
}

export type StepGrant = (clientId: string, input: StepInput, peer: Peer) => Promise<TokenReplyWithRefresh>

export interface SecondStep {
  gate: SignInGate
  /** grant_type=second_factor, passkey, password_change */
  grants: { second_factor: StepGrant; passkey: StepGrant; password_change: StepGrant }
  /** @throws AppError auth.ticket_invalid, security.factor_unavailable, auth.code_too_soon */
  sendCode(
    input: { ticket: string; method: 'sms' | 'mail' },
    locale: Locale,
  ): Promise<{ retryAfterSeconds: number; target: string }>
  /**
   * Returns a new secret for a login that needs a second step and has not set one up. @throws AppError
   * auth.ticket_invalid
   */
  setup(ticket: string): Promise<{ secret: string; uri: string }>
  /** The challenge for a passkey: of anybody, or of the person a ticket belongs to. */
  passkeyOptions(ticket: string | undefined, rp: RelyingParty): Promise<Ceremony>
}

export interface SecondStepDeps {
  database: Database
  sessions: SessionStart
  watch: SignInWatch
  factors: Factors
  totp: Totp
  passkeys: Passkeys
  sms: OneTimeCodes
  mail: OneTimeCodes
  messages: SecurityMessages
  /** Stores a new password in the transaction. @throws AppError request.validation */
  replacePassword(scope: SystemScope, row: SecurityRow, password: string, field: string): Promise<void>
  now(): number
}

const tokenHash = (token: string) => createHash('sha256').update(token).digest()

export function createSecondStep(deps: SecondStepDeps): SecondStep {
  const { database, factors, now } = deps

  async function openTicket(
    scope: SystemScope,
    login: LoginRow,
    purpose: TicketRow['purpose'],
    clientId: string,
    grant: string,
  ): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    await insertTicket(scope, {
      id: newId(now()),
      tokenHash: tokenHash(token),
      tenantId: login.tenant_id,
      login_id: login.id,
      purpose,
      client_id: clientId,
      method: grant,
      createdAt: new Date(now()),
      expires_at: new Date(now() + TICKET_MINUTES * 60_000),
    })
    return token
  }

  /** A ticket that may still be used; null when it is unknown, used, old, tried too often or of another client. */
  async function readTicket(
    scope: SystemScope,
    token: string | undefined,
    purposes: readonly TicketRow['purpose'][],
    clientId?: string,
  ): Promise<TicketRow | null> {
    const ticket = token ? await lockTicket(scope, tokenHash(token)) : null
    if (!ticket || ticket.used_at || ticket.attempts >= TICKET_TRIES || ticket.expires_at.getTime() <= now())
      return null
    if (!purposes.includes(ticket.purpose) || (clientId !== undefined && ticket.client_id !== clientId)) return null
    return ticket
  }

  async function refuse(
    scope: SystemScope,
    login: LoginRow,
    clientId: string,
    peer: Peer,
    grant: string,
    reason: string,
  ): Promise<void> {
    await deps.watch.refused(scope, login, clientId, peer, grant, reason)
    await recordAudit(scope, contextOf(login, peer), {
      action: 'session.sign_in',
      objectType: 'login',
      objectId: login.id,
      objectName: login.username,
      after: { grant, reason },
      result: 'refused',
    })
  }

  /** What remains after the second step: a password that is too old. */
  async function afterSecondStep(
    scope: SystemScope,
    login: LoginRow,
    row: SecurityRow,
    clientId: string,
    grant: string,
  ): Promise<AppError | null> {
    if (grant !== 'password') return null
    const policy = readPolicy(row.security)
    if (!row.must_change_password && !passwordExpired(policy, row.password_changed_at, now())) return null
    const ticket = await openTicket(scope, login, 'password', clientId, grant)
    return new AppError('auth.password_change_required', {
      params: { ticket, minLength: policy.passwordMinLength, minClasses: policy.passwordMinClasses },
    })
  }

  const gate: SignInGate = async (scope, login, clientId, peer, grant) => {
    const row = await securityRow(scope, login.id)
    if (!row) return new AppError('auth.wrong_credentials')
    const policy = readPolicy(row.security)
    if (!allowedBy(policy.ipAllowList, peer.ip)) {
      await refuse(scope, login, clientId, peer, grant, 'auth.address_refused')
      return new AppError('auth.address_refused', { params: { address: peer.ip } })
    }
    // A passkey is two factors in one; a company's own identity provider answers for its own second step.
    if (grant === 'passkey' || grant === 'oidc') return null
    const { asked, methods } = factors.secondStep(row, grant)
    if (!asked) return afterSecondStep(scope, login, row, clientId, grant)
    await deps.watch.halfway(scope, login, clientId, peer, grant)
    if (methods.length === 0) {
      const ticket = await openTicket(scope, login, 'setup', clientId, grant)
      return new AppError('auth.second_factor_setup_required', { params: { ticket, methods: ['totp'] } })
    }
    const ticket = await openTicket(scope, login, 'second_factor', clientId, grant)
    return new AppError('auth.second_factor_required', {
      params: { ticket, methods, targets: targetsOf(row, methods) },
    })
  }

  /** Runs a step in one transaction; errors that it returns are thrown after the commit, so that counted tries stay. */
  async function run(
    work: (scope: SystemScope) => Promise<TokenReplyWithRefresh | AppError>,
  ): Promise<TokenReplyWithRefresh> {
    const result = await database.withSystemScope('sign-in', work)
    if (result instanceof AppError) throw result
    return result
  }

  async function personOf(scope: SystemScope, loginId: string): Promise<{ login: LoginRow; row: SecurityRow } | null> {
    const login = await loginById(scope, loginId)
    const row = await securityRow(scope, loginId)
    return login?.state === 'active' && row ? { login, row } : null
  }

  const secondFactor: StepGrant = (clientId, input, peer) =>
    run(async scope => {
      const ticket = await readTicket(scope, input.ticket, ['second_factor', 'setup'], clientId)
      const person = ticket && (await personOf(scope, ticket.login_id))
      if (!ticket || !person) return new AppError('auth.ticket_invalid')
      const { login, row } = person
      const grant = ticket.method as SignInGrant
      const method = input.method ?? ''
      await countTry(scope, ticket.id)
      const wrong = async () => {
        await refuse(scope, login, clientId, peer, `${grant}+${method.slice(0, 16)}`, 'auth.second_factor_wrong')
        const left = TICKET_TRIES - ticket.attempts - 1
        return left > 0
          ? new AppError('auth.second_factor_wrong', { params: { left } })
          : new AppError('auth.ticket_invalid')
      }
      if (ticket.purpose === 'setup') {
        if (method !== 'totp' || !(await deps.totp.confirm(scope, login.id, input.code ?? ''))) return wrong()
        await setFactors(scope, login.id, [...new Set([...row.second_factors, 'totp'])])
        await recordAudit(scope, contextOf(login, peer), {
          action: 'security.totp_on',
          objectType: 'login',
          objectId: login.id,
          objectName: login.username,
        })
      } else {
        const { methods } = factors.secondStep(row, grant)
        if (!methods.includes(method as ProofMethod)) return new AppError('security.factor_unavailable')
        let right: boolean
        try {
          right = await factors.verify(scope, row, { ...factorInput(input), method }, 'second_factor')
        } catch (error) {
          if (error instanceof AppError) return error
          throw error
        }
        if (!right) return wrong()
      }
      await useTicket(scope, ticket.id, new Date(now()))
      return (
        (await afterSecondStep(scope, login, row, clientId, grant)) ??
        deps.sessions.begin(scope, login, clientId, peer, grant)
      )
    })

  const passkey: StepGrant = (clientId, input, peer) =>
    run(async scope => {
      const { challengeId, response } = factorInput(input)
      const loginId = await deps.passkeys.check(scope, 'sign_in', { challengeId: challengeId ?? '', response })
      const person = loginId ? await personOf(scope, loginId) : null
      if (!person) return new AppError('auth.passkey_refused')
      return (
        (await gate(scope, person.login, clientId, peer, 'passkey')) ??
        deps.sessions.begin(scope, person.login, clientId, peer, 'passkey')
      )
    })

  const passwordChange: StepGrant = (clientId, input, peer) =>
    run(async scope => {
      const ticket = await readTicket(scope, input.ticket, ['password'], clientId)
      const person = ticket && (await personOf(scope, ticket.login_id))
      if (!ticket || !person) return new AppError('auth.ticket_invalid')
      await deps.replacePassword(scope, person.row, input.new_password ?? '', 'new_password')
      await useTicket(scope, ticket.id, new Date(now()))
      await recordAudit(scope, contextOf(person.login, peer), {
        action: 'security.password_change',
        objectType: 'login',
        objectId: person.login.id,
        objectName: person.login.username,
        after: { how: 'at sign-in' },
      })
      const login = (await loginById(scope, person.login.id)) ?? person.login
      return deps.sessions.begin(scope, login, clientId, peer, ticket.method as SignInGrant)
    })

  return {
    gate,
    grants: { second_factor: secondFactor, passkey, password_change: passwordChange },

    async sendCode({ ticket: token, method }, locale) {
      const sent = await database.withSystemScope('sign-in', async scope => {
        const ticket = await readTicket(scope, token, ['second_factor'])
        const person = ticket && (await personOf(scope, ticket.login_id))
        if (!ticket || !person) throw new AppError('auth.ticket_invalid')
        const { row } = person
        const { methods } = factors.secondStep(row, ticket.method)
        const target = method === 'sms' ? row.phone : (row.email?.toLowerCase() ?? null)
        if (!methods.includes(method) || !target) throw new AppError('security.factor_unavailable')
        return {
          target,
          code: await deps[method].issue(scope, target, 'second_factor', { lane: 'ticket', key: row.id }),
        }
      })
      await deps.messages.code(method, sent.target, locale, { code: sent.code, minutes: String(CODE_MINUTES) })
      return { retryAfterSeconds: RESEND_SECONDS, target: maskAddress(sent.target) }
    },

    setup: token =>
      database.withSystemScope('sign-in', async scope => {
        const ticket = await readTicket(scope, token, ['setup'])
        const person = ticket && (await personOf(scope, ticket.login_id))
        if (!person) throw new AppError('auth.ticket_invalid')
        return deps.totp.begin(scope, {
          id: person.login.id,
          tenantId: person.login.tenant_id,
          username: person.login.username,
        })
      }),

    passkeyOptions: (token, rp) =>
      database.withSystemScope('sign-in', async scope => {
        if (token === undefined) return deps.passkeys.begin(scope, 'sign_in', null, rp)
        const ticket = await readTicket(scope, token, ['second_factor'])
        if (!ticket) throw new AppError('auth.ticket_invalid')
        return deps.passkeys.begin(scope, 'second_factor', ticket.login_id, rp)
      }),
  }
}

function targetsOf(row: SecurityRow, methods: readonly ProofMethod[]): Record<string, string> {
  return {
    ...(methods.includes('sms') && row.phone ? { sms: maskAddress(row.phone) } : {}),
    ...(methods.includes('mail') && row.email ? { mail: maskAddress(row.email) } : {}),
  }
}

function factorInput(input: StepInput): Omit<FactorInput, 'method'> {
  let response: unknown
  try {
    response = input.response ? JSON.parse(input.response) : undefined
  } catch {
    // Not JSON: refused like any other wrong answer.
  }
  return {
    code: input.code,
    password: input.password,
    challengeId: input.challenge_id && /^[0-9a-f-]{36}$/.test(input.challenge_id) ? input.challenge_id : undefined,
    response,
  }
}
