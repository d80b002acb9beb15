import type { UsageView } from '@thingwright/contracts/company.contract'
import type { QuotaKind } from '@thingwright/contracts/company-settings'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Inbox } from '../notifications/index.ts'
import { tellOnce } from './company-state.repo.ts'
import { quotaNotice } from './company-words.ts'
import * as repo from './quotas.repo.ts'
import type { TenantsService } from './tenants.service.ts'

/** Says how much a company uses of what is not counted by triggers. */
export type UsageCounter = (tenantId: string, now: number) => Promise<number>

export interface QuotasDeps {
  database: Database
  tenants: Pick<TenantsService, 'settingsIn'>
  inbox: Inbox
}

/** For services that make things: asked within the transaction of the change. */
export interface QuotaGuard {
  /**
   * Holds room for `more` of a kind until the transaction ends: of two that ask for the last place at once, one gets it.
   * At 80 and 100 per cent the company is told.
   * @param used how many there are already, for a kind that is not counted by triggers
   * @throws AppError quota.exceeded with {kind, used, limit, more}
   */
  hold(scope: TenantScope, kind: QuotaKind, more?: number, used?: number): Promise<void>
}

export interface QuotasService extends QuotaGuard {
  usage(ctx: Pick<Ctx, 'tenantId' | 'now'>): Promise<UsageView[]>
  /** Called when wiring: who knows how much is used of a kind. */
  countedBy(kind: QuotaKind, counter: UsageCounter): void
  /** Looks at kinds that fill without anybody asking (messages), and forgets warnings that are over. */
  watch(tenantId: string, now: number): Promise<void>
}

export const QUOTA_KINDS: readonly QuotaKind[] = [
  'devices',
  'products',
  'members',
  'mediaBytes',
  'messagesPerDay',
  'messagesPerSecond',
  'pointsPerDay',
]
const COUNTED: readonly QuotaKind[] = ['devices', 'products', 'members']

export function createQuotasService({ database, tenants, inbox }: QuotasDeps): QuotasService {
  const counters = new Map<QuotaKind, UsageCounter>()

  async function warn(scope: TenantScope, kind: QuotaKind, used: number, limit: number): Promise<void> {
    const percent = used >= limit ? 100 : used >= limit * 0.8 ? 80 : null
    if (percent === null) return
    if (await tellOnce(scope, scope.tenantId, `quota.${kind}`, `${percent}:${limit}`))
      await inbox.notify(scope, quotaNotice(scope.tenantId, kind, used, limit, percent))
  }

  async function usage(ctx: Pick<Ctx, 'tenantId' | 'now'>): Promise<UsageView[]> {
    const { quotas, used } = await database.withTenant({ tenantId: ctx.tenantId }, async scope => ({
      quotas: (await tenants.settingsIn(scope)).quotas,
      used: await repo.usedByKind(scope),
    }))
    const items: UsageView[] = []
    for (const kind of QUOTA_KINDS) {
      const counter = counters.get(kind)
      const count = counter ? await counter(ctx.tenantId, ctx.now) : (used.get(kind) ?? 0)
      items.push({ kind, used: count, limit: quotas[kind], level: levelOf(count, quotas[kind]) })
    }
    return items
  }

  return {
    async hold(scope, kind, more = 1, given) {
      const limit = (await tenants.settingsIn(scope)).quotas[kind]
      if (limit === null) return
      await repo.lockUsage(scope, kind)
      const used = given ?? (COUNTED.includes(kind) ? ((await repo.usedByKind(scope)).get(kind) ?? 0) : 0)
      if (used + more > limit) throw new AppError('quota.exceeded', { params: { kind, used, limit, more } })
      await warn(scope, kind, used + more, limit)
    },
    usage,
    countedBy: (kind, counter) => void counters.set(kind, counter),
    async watch(tenantId, now) {
      const items = await usage({ tenantId, now })
      await database.withTenant({ tenantId }, async scope => {
        for (const { kind, used, limit } of items) {
          if (limit !== null && used >= limit * 0.8) await warn(scope, kind, used, limit)
          else await repo.forgetWarning(scope, `quota.${kind}`)
        }
      })
    },
  }
}

function levelOf(used: number, limit: number | null): UsageView['level'] {
  if (limit === null) return 'ok'
  return used >= limit ? 'full' : used >= limit * 0.8 ? 'warning' : 'ok'
}
