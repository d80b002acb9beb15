import type { TenantScope } from '../../lib/database.ts'

/** One at a time takes room of a kind in a company. */
export async function lockUsage(scope: TenantScope, kind: string): Promise<void> {
  await scope.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`quota:${scope.tenantId}:${kind}`])
}

export async function usedByKind(scope: TenantScope): Promise<Map<string, number>> {
  const { rows } = await scope.query<{ kind: string; used: number }>(
    'select kind, used from tenant_usage where tenant_id = $1',
    [scope.tenantId],
  )
  return new Map(rows.map(row => [row.kind, Number(row.used)]))
}

export async function forgetWarning(scope: TenantScope, kind: string): Promise<void> {
  await scope.query('delete from tenant_warnings where tenant_id = $1 and kind = $2', [scope.tenantId, kind])
}
