import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

/** More are not counted: nobody needs to know how many more. */
const MOST = 10_000

const FAILED = sql<{ count: number; last_at: Date | null; device_id: string | null }>`select count(*)::int as count,
    max(finished_at) as last_at, (array_agg(device_id order by finished_at desc))[1] as device_id from (
    select finished_at, device_id from commands
    where tenant_id = $1 and finished_at >= $2 and state in ('rejected', 'timed_out', 'expired', 'failed')
    order by finished_at desc limit ${MOST}) failed`

/** Commands that came to a bad end since, and the device of the last one. */
export async function failedCommands(
  scope: TenantScope,
  since: number,
): Promise<{ count: number; lastAt: number | null; deviceId: string | null }> {
  const { rows } = await scope.run(FAILED, [scope.tenantId, new Date(since)])
  return { count: rows[0]!.count, lastAt: rows[0]!.last_at?.getTime() ?? null, deviceId: rows[0]!.device_id }
}
