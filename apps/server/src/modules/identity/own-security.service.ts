import type { SecurityOverview } from '@thingwright/contracts/security.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { maskAddress } from './addresses.ts'
import type { BackupCodes } from './backup-codes.ts'
import type { Asker } from './code-limits.ts'
import { possibleFactors, secondFactorRequired } from './factors.ts'
import { CODE_MINUTES, type OneTimeCodes, RESEND_SECONDS } from './one-time-codes.ts'
import { passkeyView } from './passkeys.ts'
import { refuseBadPassword } from './password-rules.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { loginIdOf, personOf } from './proofs.ts'
import {
  addFailure,
  earlierPasswords,
  failuresSince,
  passkeysOf,
  removeTotp,
  type SecurityRow,
  setFactors,
  storePassword,
} from './security.repo.ts'
import type { SecurityMessages } from './security-messages.ts'
import { readPolicy } from './security-policy.ts'
import { endSessions } from './sessions.repo.ts'
import type { Totp } from './totp.ts'

type Channel = 'sms' | 'mail'
/** What other parts of the security centre know about the caller. */
export type OverviewRest = Pick<
  SecurityOverview,
  'identities' | 'ssoAvailable' | 'closing' | 'mayCloseCompany' | 'closeOwnBlocked'
>

export interface OwnSecurity {
  overview(ctx: Ctx, rest: (scope: SystemScope, row: SecurityRow) => Promise<OverviewRest>): Promise<SecurityOverview>
  /** @throws AppError security.password_wrong, security.code_wrong, request.validation */
  changePassword(
    ctx: Ctx,
    input: { newPassword: string; oldPassword?: string; channel?: Channel; code?: string },
  ): Promise<{ ok: boolean }>
  sendCode(
    ctx: Ctx,
    input: { channel: Channel; purpose: 'password' | 'proof' | 'factor' },
  ): Promise<{ retryAfterSeconds: number }>
  totpBegin(ctx: Ctx): Promise<{ secret: string; uri: string }>
  totpConfirm(ctx: Ctx, code: string): Promise<{ backupCodes: string[] | null }>
  totpRemove(ctx: Ctx): Promise<{ ok: boolean }>
  setFactors(ctx: Ctx, factors: readonly ('passkey' | 'sms' | 'mail')[]): Promise<{ backupCodes: string[] | null }>
  backupCodes(ctx: Ctx): Promise<{ backupCodes: string[] }>
  /** Stores a new password for a row, within somebody else's transaction. @throws AppError request.validation */
  replacePassword(scope: SystemScope, row: SecurityRow, password: string, field: string): Promise<void>
}

const FAILURES = 10
const WINDOW_MS = 15 * 60_000

export function createOwnSecurity(deps: {
  database: Database
  totp: Totp
  backup: BackupCodes
  sms: OneTimeCodes
  mail: OneTimeCodes
  messages: SecurityMessages
  requireFreshProof(ctx: Ctx): Promise<void>
  forget(loginId: string): void
  now(): number
}): OwnSecurity {
  const { database, now } = deps
  const inSystem = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('sign-in', work)
  const moment = () => new Date(now()).toISOString().slice(0, 19).replace('T', ' ')

  function audit(scope: SystemScope, ctx: Ctx, row: SecurityRow, action: string, more: object = {}): Promise<void> {
    return recordAudit(scope, ctx, {
      action,
      objectType: 'login',
      objectId: row.id,
      objectName: row.username,
      ...more,
    })
  }

  async function replacePassword(scope: SystemScope, row: SecurityRow, password: string, field: string): Promise<void> {
    const policy = readPolicy(row.security)
    refuseBadPassword(policy, { password, username: row.username, phone: row.phone }, field)
    // The present one may never be “new”; earlier ones as the company says.
    const earlier = policy.passwordHistory > 1 ? await earlierPasswords(scope, row.id, policy.passwordHistory - 1) : []
    for (const hash of [row.password_hash, ...earlier]) {
      if (hash && (await verifyPassword(hash, password))) {
        const params = { count: Math.max(1, policy.passwordHistory) }
        throw new AppError('request.validation', {
          params: { count: 1 },
          fields: { [field]: { code: 'password.reused', params } },
        })
      }
    }
    await storePassword(scope, {
      loginId: row.id,
      hash: await hashPassword(password),
      at: new Date(now()),
    })
    scope.afterCommit(() =>
      deps.messages.mail(row.email, 'password_changed', row.locale, { username: row.username, at: moment() }),
    )
  }

  const signedIn = (row: SecurityRow): Asker => ({ lane: 'signed_in', key: row.id })
  const targetOf = (row: SecurityRow, channel: Channel) =>
    channel === 'sms' ? row.phone : (row.email?.toLowerCase() ?? null)

  /** Turns factors on; whoever turns the first one on gets backup codes with it. */
  async function turnOn(scope: SystemScope, row: SecurityRow, factors: readonly string[]): Promise<string[] | null> {
    await setFactors(scope, row.id, factors)
    return factors.length > 0 && row.backup_left === 0 ? deps.backup.make(scope, row.id, row.tenant_id) : null
  }

  return {
    replacePassword,

    overview: (ctx, rest) =>
      inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        const policy = readPolicy(row.security)
        return {
          passwordChangedAt: row.password_changed_at?.toISOString() ?? null,
          hasPassword: row.password_hash !== null,
          phone: row.phone && maskAddress(row.phone),
          email: row.email && maskAddress(row.email),
          totp: row.has_totp,
          factors: row.second_factors,
          factorsPossible: possibleFactors(row),
          secondFactorRequired: secondFactorRequired(row),
          backupCodesLeft: row.backup_left,
          passkeys: (await passkeysOf(scope, row.id)).map(passkeyView),
          ...(await rest(scope, row)),
          policy: {
            passwordMinLength: policy.passwordMinLength,
            passwordMinClasses: policy.passwordMinClasses,
            passwordHistory: policy.passwordHistory,
            passwordExpiryDays: policy.passwordExpiryDays,
            sessionHours: policy.sessionHours,
            idleMinutes: policy.idleMinutes,
          },
        }
      }),

    async changePassword(ctx, { newPassword, oldPassword, channel, code }) {
      // What is counted must stay although the change is refused, so the proof is a transaction of its own.
      const refusal = await inSystem(async (scope): Promise<AppError | null> => {
        const row = await personOf(scope, loginIdOf(ctx))
        const failures = await failuresSince(scope, row.id, new Date(now() - WINDOW_MS))
        if (failures.n >= FAILURES)
          return new AppError('auth.factor_locked', { params: { seconds: 900 }, retryAfterSeconds: 900 })
        if (channel !== undefined) {
          const target = targetOf(row, channel)
          if (!target) return new AppError('security.contact_missing')
          if (await deps[channel].consume(scope, target, 'password', code ?? '', signedIn(row))) return null
          return new AppError('security.code_wrong', { fields: { code: { code: 'security.code_wrong' } } })
        }
        if (row.password_hash && (await verifyPassword(row.password_hash, oldPassword ?? ''))) return null
        await addFailure(scope, row.id, new Date(now()))
        return new AppError('security.password_wrong', { fields: { oldPassword: { code: 'security.password_wrong' } } })
      })
      if (refusal) throw refusal
      await inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        await replacePassword(scope, row, newPassword, 'newPassword')
        const ended = await endSessions(
          scope,
          row.id,
          new Date(now()),
          { except: ctx.sessionId ?? null },
          'password_changed',
        )
        await audit(scope, ctx, row, 'security.password_change', { after: { by: channel ?? 'old', ended } })
        scope.afterCommit(() => deps.forget(row.id))
      })
      return { ok: true }
    },

    async sendCode(ctx, { channel, purpose }) {
      const sent = await inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        const target = targetOf(row, channel)
        if (!target) throw new AppError('security.contact_missing')
        return { target, code: await deps[channel].issue(scope, target, purpose, signedIn(row)) }
      })
      await deps.messages.code(channel, sent.target, ctx.locale, { code: sent.code, minutes: String(CODE_MINUTES) })
      return { retryAfterSeconds: RESEND_SECONDS }
    },

    async totpBegin(ctx) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        const begun = await deps.totp.begin(scope, { id: row.id, tenantId: row.tenant_id, username: row.username })
        await audit(scope, ctx, row, 'security.totp_begin')
        return begun
      })
    },

    totpConfirm: (ctx, code) =>
      inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        if (!(await deps.totp.confirm(scope, row.id, code)))
          throw new AppError('security.code_wrong', { fields: { code: { code: 'security.code_wrong' } } })
        const factors = [...new Set([...row.second_factors, 'totp'])]
        const backupCodes = await turnOn(scope, row, factors)
        await audit(scope, ctx, row, 'security.totp_on', {
          before: { factors: row.second_factors },
          after: { factors },
        })
        return { backupCodes }
      }),

    async totpRemove(ctx) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        if (!row.has_totp) throw new AppError('security.factor_unavailable')
        const factors = row.second_factors.filter(factor => factor !== 'totp')
        if (factors.length === 0 && secondFactorRequired(row)) throw new AppError('security.factor_needed')
        await removeTotp(scope, row.id)
        await setFactors(scope, row.id, factors)
        await audit(scope, ctx, row, 'security.totp_off', {
          before: { factors: row.second_factors },
          after: { factors },
        })
        return { ok: true }
      })
    },

    async setFactors(ctx, wanted) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        const possible = possibleFactors(row)
        const missing = wanted.find(factor => !possible.includes(factor))
        if (missing) throw new AppError('security.factor_unavailable', { params: { factor: missing } })
        const factors = [...(row.has_totp ? ['totp'] : []), ...new Set(wanted)]
        if (factors.length === 0 && secondFactorRequired(row)) throw new AppError('security.factor_needed')
        const backupCodes = await turnOn(scope, row, factors)
        await audit(scope, ctx, row, 'security.factors_change', {
          before: { factors: row.second_factors },
          after: { factors },
        })
        return { backupCodes }
      })
    },

    async backupCodes(ctx) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        const backupCodes = await deps.backup.make(scope, row.id, row.tenant_id)
        await audit(scope, ctx, row, 'security.backup_codes')
        return { backupCodes }
      })
    },
  }
}
