import type { MemberSecurityView, SessionView } from '@thingwright/contracts/security.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { secondFactorRequired } from './factors.ts'
import { clientOf, placeOf } from './network.ts'
import { loginIdOf, personOf } from './proofs.ts'
import { endSessions, memberOf, onlyOwnersTouchOwners, type SessionRow, sessionsOf } from './sessions.repo.ts'

export interface SessionsService {
  mine(ctx: Ctx): Promise<{ items: SessionView[] }>
  /** @throws AppError security.session_not_found */
  end(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  endOthers(ctx: Ctx): Promise<{ ended: number }>
  /** How a member of the caller's company signs in. @throws AppError security.member_not_found */
  memberSecurity(ctx: Ctx, loginId: string): Promise<MemberSecurityView>
  /** Sessions of a member of the caller's company. @throws AppError security.member_not_found */
  ofMember(ctx: Ctx, loginId: string): Promise<{ items: SessionView[] }>
  endOfMember(ctx: Ctx, loginId: string, sessionId?: string): Promise<{ ended: number }>
}

export function createSessions(deps: {
  database: Database
  /** What is remembered of the login is asked anew: an ended session is refused with its next request. */
  forget(loginId: string): void
  now(): number
}): SessionsService {
  const { database } = deps
  const at = () => new Date(deps.now())

  /** Ends sessions and writes it down; nothing ended is nothing changed. */
  async function end(
    scope: SystemScope,
    ctx: Ctx,
    login: { id: string; username: string },
    which: Parameters<typeof endSessions>[3],
    action: string,
    reason: string,
  ): Promise<number> {
    const ended = await endSessions(scope, login.id, at(), which, reason)
    await recordAudit(scope, ctx, {
      action,
      objectType: 'login',
      objectId: login.id,
      objectName: login.username,
      after: { ended, ...('only' in which ? { session: which.only } : {}) },
    })
    scope.afterCommit(() => deps.forget(login.id))
    return ended
  }

  const inSystem = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('sign-in', work)
  const views = (rows: SessionRow[], current: string | undefined) => ({ items: rows.map(row => toView(row, current)) })

  async function member(scope: SystemScope, ctx: Ctx, loginId: string) {
    const found = await memberOf(scope, ctx.tenantId, loginId)
    if (!found) throw new AppError('security.member_not_found')
    return { id: loginId, username: found.username }
  }

  return {
    mine: ctx => inSystem(async scope => views(await sessionsOf(scope, loginIdOf(ctx), at()), ctx.sessionId)),
    end: (ctx, id) =>
      inSystem(async scope => {
        const login = await personOf(scope, loginIdOf(ctx))
        if ((await end(scope, ctx, login, { only: id }, 'session.end', 'ended')) === 0)
          throw new AppError('security.session_not_found')
        return { ok: true }
      }),
    endOthers: ctx =>
      inSystem(async scope => {
        const login = await personOf(scope, loginIdOf(ctx))
        const which = { except: ctx.sessionId ?? null }
        return { ended: await end(scope, ctx, login, which, 'session.end_others', 'ended') }
      }),
    memberSecurity: (ctx, loginId) =>
      inSystem(async scope => {
        await member(scope, ctx, loginId)
        const row = await personOf(scope, loginId)
        return {
          factors: row.second_factors,
          passkeys: row.passkeys,
          backupCodesLeft: row.backup_left,
          secondFactorRequired: secondFactorRequired(row),
          passwordChangedAt: row.password_changed_at?.toISOString() ?? null,
        }
      }),
    ofMember: (ctx, loginId) =>
      inSystem(async scope => {
        await member(scope, ctx, loginId)
        return views(await sessionsOf(scope, loginId, at()), ctx.sessionId)
      }),
    endOfMember: (ctx, loginId, sessionId) =>
      inSystem(async scope => {
        const login = await member(scope, ctx, loginId)
        await onlyOwnersTouchOwners(scope, ctx, loginId)
        const which = sessionId ? { only: sessionId } : { except: null }
        const ended = await end(scope, ctx, login, which, 'session.end_member', 'ended_by_administrator')
        if (sessionId && ended === 0) throw new AppError('security.session_not_found')
        return { ended }
      }),
  }
}

/** Where a login is signed in that the caller may see. */
export async function sessionsOfLogin(
  database: Database,
  ctx: Ctx,
  loginId: string,
  at: Date,
): Promise<{ items: SessionView[] }> {
  const rows = await database.withSystemScope('sign-in', scope => sessionsOf(scope, loginId, at))
  return { items: rows.map(row => toView(row, ctx.sessionId)) }
}

function toView(row: SessionRow, current: string | undefined): SessionView {
  const client = clientOf(row.user_agent ?? '')
  const ip = row.last_ip ?? row.ip
  return {
    id: row.id,
    current: row.id === current,
    client: client.name,
    device: client.device,
    clientId: row.client_id,
    ip,
    place: placeOf(ip ?? ''),
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
  }
}
