import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

/** More are not counted: nobody needs to know how many more. */
const MOST = 10_000

const LOST = sql<{
  count: number
  last_at: Date | null
}>`select count(*)::int as count, max(last_seen_at) as last_at from (
    select p.last_seen_at from device_presence p join devices d on d.num = p.device
    where p.tenant_id = $1 and p.link = 'offline' and p.last_seen_at < $2 and d.recycled_at is null and d.lifecycle <> 'disabled'
    limit ${MOST}) lost`

/** Devices that were heard once and have been silent since before this moment; when the last of them was heard. */
export async function lostDevices(
  scope: TenantScope,
  since: number,
): Promise<{ count: number; lastAt: number | null }> {
  const { rows } = await scope.run(LOST, [scope.tenantId, new Date(since)])
  return { count: rows[0]!.count, lastAt: rows[0]!.last_at?.getTime() ?? null }
}
