import type { HomeLayout } from '@thingwright/contracts/statistics.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const LAYOUT = sql<{ layout: HomeLayout }>`select layout from home_layouts where login_id = $1`

export async function layoutOf(scope: TenantScope, loginId: string): Promise<HomeLayout | null> {
  return (await scope.run(LAYOUT, [loginId])).rows[0]?.layout ?? null
}

const FORGET_LAYOUT = sql`delete from home_layouts where login_id = $1`
const KEEP_LAYOUT = sql`insert into home_layouts (login_id, tenant_id, layout) values ($1, $2, $3)
  on conflict (login_id) do update set layout = excluded.layout`

/** @param layout null: as designed */
export async function keepLayout(scope: TenantScope, loginId: string, layout: HomeLayout | null): Promise<void> {
  if (layout === null) await scope.run(FORGET_LAYOUT, [loginId])
  else await scope.run(KEEP_LAYOUT, [loginId, scope.tenantId, JSON.stringify(layout)])
}
