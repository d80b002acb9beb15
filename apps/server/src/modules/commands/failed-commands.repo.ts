import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

/** More are not looked at: nobody needs to know how many more. */
const MOST = 10_000

export interface FailedOnDevice {
  deviceId: string
  name: string
  count: number
  lastAt: number
}

const FAILED = sql<{
  device_id: string
  name: string
  count: number
  last_at: Date
}>`select d.id as device_id, d.name, f.count, f.last_at from (
    select device, count(*)::int as count, max(finished_at) as last_at from (
      select finished_at, device from commands
      where tenant_id = $1 and finished_at >= $2 and state in ('rejected', 'timed_out', 'expired', 'failed')
      order by finished_at desc limit ${MOST}) failed
    group by device order by count(*) desc, device limit $3) f
  join devices d on d.num = f.device where d.recycled_at is null
  order by f.count desc, d.num`

/** Devices on which most commands came to a bad end since, the most first. */
export async function failedCommands(scope: TenantScope, since: number, devices: number): Promise<FailedOnDevice[]> {
  const { rows } = await scope.run(FAILED, [scope.tenantId, new Date(since), devices])
  return rows.map(row => ({ deviceId: row.device_id, name: row.name, count: row.count, lastAt: row.last_at.getTime() }))
}
