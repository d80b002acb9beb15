import type { TenantScope } from '../../lib/database.ts'

/** One at a time takes room of a kind in a company. */
export async function lockUsage(scope: TenantScope, kind: string): Promise<void> {
  await scope.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`quota:${scope.tenantId}:${kind}`])
}

/** What triggers count; an open invitation holds the place of a member. */
export async function usedByKind(scope: TenantScope): Promise<Map<string, number>> {
  const { rows } = await scope.query<{ kind: string; used: number }>(
    `select kind, sum(used)::float8 as used from (
       select kind, used from tenant_usage where tenant_id = $1
       union all select 'members', count(*) from invitations
         where tenant_id = $1 and accepted_at is null and revoked_at is null) counted
     group by kind`,
    [scope.tenantId],
  )
  return new Map(rows.map(row => [row.kind, row.used]))
}

export async function forgetWarning(scope: TenantScope, kind: string): Promise<void> {
  await scope.query('delete from tenant_warnings where tenant_id = $1 and kind = $2', [scope.tenantId, kind])
}
