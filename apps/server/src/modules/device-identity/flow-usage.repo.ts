import type { FlowDay } from '@thingwright/contracts/device-identity.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

/** What a company's devices sent on its present day, as far as the gateway has written it (every ten seconds). */
export interface FlowUsage {
  messagesToday(tenantId: string): Promise<number>
  pointsToday(tenantId: string): Promise<number>
  /** The most messages in one second. */
  peakToday(tenantId: string): Promise<number>
  /** The last 14 days, the newest first. */
  days(ctx: Ctx): Promise<{ items: FlowDay[] }>
}

const DAYS = sql<FlowDay>`select to_char(f.day, 'YYYY-MM-DD') as day, f.messages, f.points, f.peak, f.slowed, f.refused
  from company_flow f join tenants t on t.id = f.tenant_id
  where f.tenant_id = $1 and f.day > (now() at time zone t.time_zone)::date - 14 order by f.day desc`

const todays = (column: SqlPart) => sql<{ used: number }>`select f.${column}::float8 as used
  from company_flow f join tenants t on t.id = f.tenant_id
  where f.tenant_id = $1 and f.day = (now() at time zone t.time_zone)::date`
const TODAY = { messages: todays(part`messages`), points: todays(part`points`), peak: todays(part`peak`) }

export function createFlowUsage(database: Database): FlowUsage {
  const today = (tenantId: string, column: keyof typeof TODAY) =>
    database.withTenant({ tenantId }, async scope => {
      const { rows } = await scope.run(TODAY[column], [tenantId])
      return rows[0]?.used ?? 0
    })
  return {
    messagesToday: tenantId => today(tenantId, 'messages'),
    pointsToday: tenantId => today(tenantId, 'points'),
    peakToday: tenantId => today(tenantId, 'peak'),
    days: ctx =>
      database.withTenant(ctx, async scope => {
        const { rows } = await scope.run(DAYS, [scope.tenantId])
        return { items: rows }
      }),
  }
}
