import type { RouteContract } from '@thingwright/contracts/route'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, type Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'

export interface RefusalLog {
  /**
   * Notes that somebody was refused something, or that a change failed. Never throws and never waits: the answer is on
   * its way. A person's repeated attempts at one route are noted once a minute, a company's at most 60 times.
   */
  note(ctx: Ctx, contract: RouteContract, outcome: { result: 'refused' | 'failed'; code: string; params: object }): void
}

const WINDOW_MS = 60_000
const PER_COMPANY = 60
const MAX_KEYS = 10_000

export function createRefusalLog(deps: { database: Database; logger: Logger; now(): number }): RefusalLog {
  let windowEnds = 0
  const seen = new Set<string>()
  const companies = new Map<string, number>()

  /** False when the same was noted a moment ago or the company has had its share. */
  function fresh(ctx: Ctx, key: string): boolean {
    const now = deps.now()
    if (now >= windowEnds || seen.size > MAX_KEYS) {
      windowEnds = now + WINDOW_MS
      seen.clear()
      companies.clear()
    }
    const count = companies.get(ctx.tenantId) ?? 0
    if (seen.has(key) || count >= PER_COMPANY) return false
    seen.add(key)
    companies.set(ctx.tenantId, count + 1)
    return true
  }

  return {
    note(ctx, contract, { result, code, params }) {
      if (ctx.actor.kind === 'system') return
      const route = `${contract.method} ${contract.path}`
      if (!fresh(ctx, `${actorId(ctx.actor)} ${route} ${code}`)) return
      deps.database
        .withTenant(ctx, scope =>
          recordAudit(scope, ctx, {
            action: typeof contract.audit === 'string' ? contract.audit : 'access.refused',
            objectType: 'route',
            objectId: route,
            after: { error: code, ...params },
            result,
          }),
        )
        .catch((error: unknown) => deps.logger.warn({ err: error }, 'a refusal could not be noted'))
    },
  }
}
