import type { SupportGrantView } from '@thingwright/contracts/company.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './support.repo.ts'
import type { TenantStatus } from './tenants.service.ts'

/** What a support session may do, read again while it runs. */
export interface SupportAccess {
  grantId: string
  tenantId: string
  appId: string
  companyName: string
  status: TenantStatus
  mayWrite: boolean
  /** Epoch ms. */
  expiresAt: number
}

export interface SupportService {
  list(ctx: Ctx): Promise<{ items: SupportGrantView[] }>
  grant(ctx: Ctx, input: { hours: number; mayWrite: boolean }): Promise<SupportGrantView>
  end(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** The consent that the company gives now, or null. */
  running(tenantId: string, now: number): Promise<SupportAccess | null>
  /** What a session stands on; null when its access ended. */
  access(grantId: string, now: number): Promise<SupportAccess | null>
}

const HOUR_MS = 3_600_000
const SHOWN = 50

/** Lets operators of the platform into a company, with its consent. */
export function createSupportService({ database }: { database: Database }): SupportService {
  const access: SupportService['access'] = (grantId, now) =>
    database.withSystemScope('sign-in', async scope => {
      const row = await repo.grantForSession(scope, grantId, new Date(now))
      if (!row) return null
      return {
        grantId: row.id,
        tenantId: row.tenantId,
        appId: row.appId,
        companyName: row.companyName,
        status: row.status as TenantStatus,
        mayWrite: row.mayWrite,
        expiresAt: row.expiresAt.getTime(),
      }
    })

  return {
    list: ctx =>
      database.withTenant(ctx, async scope => ({ items: (await repo.listGrants(scope, SHOWN)).map(toView) })),

    grant: (ctx, { hours, mayWrite }) =>
      database.withTenant(ctx, async scope => {
        // Only a person of the company can consent: not an operator who is already inside.
        if (ctx.actor.kind !== 'member') throw new AppError('support.not_yours')
        const at = new Date(ctx.now)
        // One access at a time: a new one replaces the old, so that what is allowed is what was said last.
        await repo.endAllGrants(scope, at)
        const row = await repo.insertGrant(scope, {
          id: newId(ctx.now),
          mayWrite,
          grantedBy: ctx.actor.loginId,
          grantedByName: ctx.actor.username,
          grantedAt: at,
          expiresAt: new Date(ctx.now + hours * HOUR_MS),
        })
        await recordAudit(scope, ctx, {
          action: 'company.support_grant',
          objectType: 'support_access',
          objectId: row.id,
          after: { hours, mayWrite, expiresAt: row.expiresAt.toISOString() },
        })
        return toView(row)
      }),

    end: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.endGrant(scope, id, new Date(ctx.now))
        if (!row) throw new AppError('support.not_found')
        await recordAudit(scope, ctx, { action: 'company.support_end', objectType: 'support_access', objectId: id })
        return { ok: true }
      }),

    async running(tenantId, now) {
      const row = await database.withSystemScope('operator', scope => repo.runningGrant(scope, tenantId, new Date(now)))
      return row ? access(row.id, now) : null
    },
    access,
  }
}

function toView(row: repo.SupportGrantRow): SupportGrantView {
  return {
    id: row.id,
    mayWrite: row.mayWrite,
    grantedBy: row.grantedByName,
    grantedAt: row.grantedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }
}
