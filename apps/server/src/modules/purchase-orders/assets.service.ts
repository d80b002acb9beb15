import type { UsageView } from '@thingwright/contracts/company.contract'
import type { AssetsView, CurrentPlan } from '@thingwright/contracts/purchase-orders.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { daysLeft } from '../tenants/index.ts'
import { chargedBetween, findWallet, NO_WALLET, unitsOf, walletView } from '../wallets/index.ts'
import { published } from './catalogue.repo.ts'
import * as plans from './plans.repo.ts'

const DAY_MS = 86_400_000

export interface AssetsService {
  get(ctx: Ctx): Promise<AssetsView>
  /** @throws AppError plan.none, version.conflict */
  keepPlan(ctx: Ctx, version: number): Promise<CurrentPlan>
}

/** What a company has, on one page: money, plan, units, use of its quotas. */
export function createAssetsService({
  database,
  usage,
}: {
  database: Database
  usage(ctx: Ctx): Promise<UsageView[]>
}): AssetsService {
  async function planOf(scope: TenantScope, now: number): Promise<CurrentPlan | null> {
    const row = await plans.findPlan(scope, scope.tenantId)
    if (!row) return null
    return {
      sku: row.sku,
      itemId: row.itemId,
      name: row.name,
      ename: row.ename,
      months: row.months,
      priceFen: row.priceFen,
      startedAt: row.startedAt.toISOString(),
      endsAt: row.endsAt.toISOString(),
      next: row.nextItemId ? { itemId: row.nextItemId, name: row.nextName ?? '', ename: row.nextEname ?? '' } : null,
      expansions: (await plans.expansions(scope, scope.tenantId, new Date(now))).map(({ quota, quantity, endsAt }) => ({
        quota,
        quantity,
        endsAt: endsAt.toISOString(),
      })),
      version: row.version,
    }
  }

  return {
    async get(ctx) {
      const used = await usage(ctx)
      return database.withTenant(ctx, async scope => {
        const wallet = (await findWallet(scope, scope.tenantId)) ?? NO_WALLET
        const term = await plans.termOf(scope, scope.tenantId)
        const ends = term.status === 'grace' ? term.graceEndsAt : term.expiresAt
        const between = (from: number, to: number) =>
          chargedBetween(scope, scope.tenantId, new Date(from), new Date(to))
        const month = new Date(ctx.now)
        const monthStart = Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), 1)
        return {
          wallet: walletView(wallet),
          plan: await planOf(scope, ctx.now),
          term: {
            status: term.status,
            expiresAt: term.expiresAt?.toISOString() ?? null,
            graceEndsAt: term.graceEndsAt?.toISOString() ?? null,
            daysLeft: ends ? daysLeft(ends.getTime(), ctx.now, term.timeZone) : null,
          },
          units: await unitsOf(scope, scope.tenantId, ctx.now),
          usage: used,
          charged: {
            last30Fen: await between(ctx.now - 30 * DAY_MS, ctx.now + DAY_MS),
            before30Fen: await between(ctx.now - 60 * DAY_MS, ctx.now - 30 * DAY_MS),
            monthFen: await between(monthStart, ctx.now + DAY_MS),
          },
          sells: (await published(scope)).length > 0,
        }
      })
    },
    keepPlan: (ctx, version) =>
      database.withTenant(ctx, async scope => {
        const row = await plans.findPlan(scope, scope.tenantId)
        if (!row) throw new AppError('plan.none')
        if (row.version !== version)
          throw new AppError('version.conflict', { params: { current: await planOf(scope, ctx.now) } })
        await plans.setNext(scope, scope.tenantId, null)
        await recordAudit(scope, ctx, {
          action: 'company_plan.keep',
          objectType: 'company_plan',
          objectId: scope.tenantId,
          objectName: row.name,
          before: { next: row.nextName },
        })
        return (await planOf(scope, ctx.now))!
      }),
  }
}
