import type { Database } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { SilentDevices } from './customer-health.ts'

const SILENT = sql<{ id: string; name: string; since: Date | null }>`select d.id, d.name, s.last_seen_at as since
  from devices d left join lateral (select * from device_presence p where p.device = d.num offset 0) s on true
  where d.tenant_id = $1 and d.owner_id = $2 and d.recycled_at is null and d.lifecycle <> 'disabled'
    and (s.link is null or s.link <> 'online')
  order by s.last_seen_at nulls first, d.num limit $3`

export const silentDevices =
  (database: Database): SilentDevices =>
  (ctx, ownerId, limit) =>
    database.withTenant(ctx, async scope => (await scope.run(SILENT, [scope.tenantId, ownerId, limit])).rows)
