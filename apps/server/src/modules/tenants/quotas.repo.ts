import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const LOCK_USAGE = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** One at a time takes room of a kind in a company. */
export async function lockUsage(scope: TenantScope, kind: string): Promise<void> {
  await scope.run(LOCK_USAGE, [`quota:${scope.tenantId}:${kind}`])
}

const USED_BY_KIND = sql<{ kind: string; used: number }>`select kind, sum(used)::float8 as used from (
    select kind, used from tenant_usage where tenant_id = $1
    union all select 'members', count(*) from invitations
      where tenant_id = $1 and accepted_at is null and revoked_at is null) counted
  group by kind`

/** What triggers count; an open invitation holds the place of a member. */
export async function usedByKind(scope: TenantScope): Promise<Map<string, number>> {
  const { rows } = await scope.run(USED_BY_KIND, [scope.tenantId])
  return new Map(rows.map(row => [row.kind, row.used]))
}

const FORGET_WARNING = sql`delete from tenant_warnings where tenant_id = $1 and kind = $2`

export async function forgetWarning(scope: TenantScope, kind: string): Promise<void> {
  await scope.run(FORGET_WARNING, [scope.tenantId, kind])
}
