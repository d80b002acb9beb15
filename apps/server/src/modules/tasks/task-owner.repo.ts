import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const COUNT = sql<{ count: number }>`select count(*)::int as count from tasks where tenant_id = $1 and owner_id = $2`

const HAND_OVER = sql`update tasks set owner_id = $3 where tenant_id = $1 and owner_id = $2 and state not in ('queued', 'running')`

/** Background tasks with their results: they belong to the member who started them. The rights they ran with stay written. */
export const ownedTasks = {
  kind: 'task',
  async count(scope: TenantScope, loginId: string): Promise<number> {
    const { rows } = await scope.run(COUNT, [scope.tenantId, loginId])
    return rows[0]!.count
  },
  async handOver(scope: TenantScope, from: string, to: string): Promise<number> {
    const { rowCount } = await scope.run(HAND_OVER, [scope.tenantId, from, to])
    return rowCount ?? 0
  },
} as const
