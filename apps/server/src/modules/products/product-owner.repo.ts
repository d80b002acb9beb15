import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const COUNT = sql<{
  count: number
}>`select count(*)::int as count from products where tenant_id = $1 and created_by = $2 and deleted_at is null`

const HAND_OVER = sql<{
  count: number
}>`with given as (update products set created_by = $3 where tenant_id = $1 and created_by = $2 returning deleted_at)
  select count(*)::int as count from given where deleted_at is null`

/** Products that belong to the member who made them. */
export const ownedProducts = {
  kind: 'product',
  async count(scope: TenantScope, loginId: string): Promise<number> {
    const { rows } = await scope.run(COUNT, [scope.tenantId, loginId])
    return rows[0]!.count
  },
  async handOver(scope: TenantScope, from: string, to: string): Promise<number> {
    const { rows } = await scope.run(HAND_OVER, [scope.tenantId, from, to])
    return rows[0]!.count
  },
} as const
