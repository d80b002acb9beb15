import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const COUNT = sql<{
  count: number
}>`select count(*)::int as count from devices where tenant_id = $1 and created_by = $2 and recycled_at is null`

const HAND_OVER = sql<{
  count: number
}>`with given as (update devices set created_by = $3 where tenant_id = $1 and created_by = $2 returning recycled_at)
  select count(*)::int as count from given where recycled_at is null`

/** Devices that belong to the member who made them; those in the recycle bin go along but are not counted. */
export const ownedDevices = {
  kind: 'device',
  async count(scope: TenantScope, loginId: string): Promise<number> {
    const { rows } = await scope.run(COUNT, [scope.tenantId, loginId])
    return rows[0]!.count
  },
  async handOver(scope: TenantScope, from: string, to: string): Promise<number> {
    const { rows } = await scope.run(HAND_OVER, [scope.tenantId, from, to])
    return rows[0]!.count
  },
} as const
