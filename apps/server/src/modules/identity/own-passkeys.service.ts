import type { PasskeyView } from '@thingwright/contracts/security.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Inbox } from '../notifications/index.ts'
import { secondFactorRequired } from './factors.ts'
import { type Ceremony, type Passkeys, passkeyView, type RelyingParty } from './passkeys.ts'
import { loginIdOf, personOf } from './proofs.ts'
import {
  clearFactors,
  deletePasskey,
  type PasskeyRow,
  passkeysOf,
  renamePasskey,
  type SecurityRow,
  setFactors,
} from './security.repo.ts'
import { noticeWords } from './security-messages.ts'
import { endSessions, memberOf, onlyOwnersTouchOwners } from './sessions.repo.ts'

export interface OwnPasskeys {
  begin(ctx: Ctx, rp: RelyingParty): Promise<Ceremony>
  add(ctx: Ctx, input: { challengeId: string; name: string; response: unknown }): Promise<PasskeyView>
  /** @throws AppError security.passkey_not_found */
  rename(ctx: Ctx, id: string, name: string): Promise<PasskeyView>
  /** @throws AppError security.passkey_not_found, security.factor_needed */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** For a member who lost his phone: all factors and passkeys go, all sessions end. @throws AppError security.member_not_found */
  resetMember(ctx: Ctx, loginId: string): Promise<{ ok: boolean }>
}

/** A person has a phone, a computer, a key or two; more is somebody filling a table. */
const MOST = 20

export function createOwnPasskeys(deps: {
  database: Database
  passkeys: Passkeys
  inbox: Inbox
  requireFreshProof(ctx: Ctx): Promise<void>
  forget(loginId: string): void
  now(): number
}): OwnPasskeys {
  const inSystem = <T>(work: (scope: SystemScope) => Promise<T>) => deps.database.withSystemScope('sign-in', work)

  async function own(
    scope: SystemScope,
    ctx: Ctx,
    id: string,
  ): Promise<{ row: SecurityRow; key: PasskeyRow; all: PasskeyRow[] }> {
    const row = await personOf(scope, loginIdOf(ctx))
    const all = await passkeysOf(scope, row.id)
    const key = all.find(each => each.id === id)
    if (!key) throw new AppError('security.passkey_not_found')
    return { row, key, all }
  }
  const audit = (scope: SystemScope, ctx: Ctx, action: string, key: PasskeyRow, more: object = {}) =>
    recordAudit(scope, ctx, { action, objectType: 'passkey', objectId: key.id, objectName: key.name, ...more })

  return {
    async begin(ctx, rp) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        if (row.passkeys >= MOST) throw new AppError('security.factor_unavailable')
        const displayName = ctx.actor.kind === 'system' ? '' : ctx.actor.displayName
        return deps.passkeys.beginRegistration(scope, { id: row.id, username: row.username, displayName }, rp)
      })
    },
    add: (ctx, input) =>
      inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        const key = await deps.passkeys.register(scope, { id: row.id, tenantId: row.tenant_id }, input)
        await audit(scope, ctx, 'security.passkey_add', key, { after: { name: key.name, synced: key.synced } })
        return passkeyView(key)
      }),
    rename: (ctx, id, name) =>
      inSystem(async scope => {
        const { row, key } = await own(scope, ctx, id)
        await renamePasskey(scope, id, row.id, name)
        await audit(scope, ctx, 'security.passkey_rename', key, { before: { name: key.name }, after: { name } })
        return passkeyView({ ...key, name })
      }),
    async remove(ctx, id) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const { row, key, all } = await own(scope, ctx, id)
        if (all.length === 1 && row.second_factors.includes('passkey')) {
          const factors = row.second_factors.filter(factor => factor !== 'passkey')
          if (factors.length === 0 && secondFactorRequired(row)) throw new AppError('security.factor_needed')
          await setFactors(scope, row.id, factors)
        }
        await deletePasskey(scope, id, row.id)
        await audit(scope, ctx, 'security.passkey_remove', key, { before: { name: key.name } })
        return { ok: true }
      })
    },
    async resetMember(ctx, loginId) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const member = await memberOf(scope, ctx.tenantId, loginId)
        if (!member) throw new AppError('security.member_not_found')
        await onlyOwnersTouchOwners(scope, ctx, loginId)
        const row = await personOf(scope, loginId)
        await clearFactors(scope, loginId)
        const ended = await endSessions(scope, loginId, new Date(deps.now()), { except: null }, 'factors_reset')
        await recordAudit(scope, ctx, {
          action: 'security.member_factors_reset',
          objectType: 'login',
          objectId: loginId,
          objectName: member.username,
          before: { factors: row.second_factors, passkeys: row.passkeys },
          after: { factors: [], passkeys: 0, ended },
        })
        await deps.inbox.notify(scope, {
          tenantId: ctx.tenantId,
          to: { loginIds: [loginId] },
          kind: 'security.factors_reset',
          ...noticeWords('factorsReset', { username: ctx.actor.kind === 'system' ? '' : ctx.actor.username }),
          link: '/admin/security?tab=factors',
          level: 'warning',
        })
        scope.afterCommit(() => deps.forget(loginId))
        return { ok: true }
      })
    },
  }
}
