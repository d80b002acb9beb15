import type { TenantScope } from '../../lib/database.ts'

export interface AuditRow {
  id: string
  at: Date
  actorKind: string
  actorId: string | null
  actorName: string
  action: string
  objectType: string
  objectId: string | null
  objectName: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  result: 'ok' | 'refused' | 'failed'
  ip: string | null
  requestId: string | null
  /** The time as PostgreSQL prints it, with its microseconds. */
  position: string
}

export interface AuditFilter {
  action?: string
  objectType?: string
  objectId?: string
  /** Part of the actor's or object's name, normalised. */
  needle?: string
}

const COLUMNS = `id, at, actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", action,
  object_type as "objectType", object_id as "objectId", object_name as "objectName", before, after, result, ip,
  request_id as "requestId", at::text as position`

function conditions(tenantId: string, filter: AuditFilter, params: unknown[]): string[] {
  const param = (value: unknown) => `$${params.push(value)}`
  const where = [`tenant_id = ${param(tenantId)}`]
  if (filter.action) where.push(`action = ${param(filter.action)}`)
  if (filter.objectType) where.push(`object_type = ${param(filter.objectType)}`)
  if (filter.objectId) where.push(`object_id = ${param(filter.objectId)}`)
  if (filter.needle) {
    const needle = param(filter.needle)
    const holds = (column: string) => `strpos(lower(normalize(coalesce(${column}, ''), NFKC)), ${needle}) > 0`
    where.push(`(${holds('actor_name')} or ${holds('object_name')})`)
  }
  return where
}

export async function listAudit(
  scope: TenantScope,
  filter: AuditFilter,
  descending: boolean,
  after: readonly [at: string, id: string] | null,
  limit: number,
): Promise<AuditRow[]> {
  const params: unknown[] = []
  const where = conditions(scope.tenantId, filter, params)
  if (after) {
    const position = `($${params.push(after[0])}::timestamptz, $${params.push(after[1])}::uuid)`
    where.push(`(at, id) ${descending ? '<' : '>'} ${position}`)
  }
  const direction = descending ? 'desc' : 'asc'
  const { rows } = await scope.query<AuditRow>(
    `select ${COLUMNS} from audit_logs where ${where.join(' and ')} order by at ${direction}, id ${direction} limit ${limit}`,
    params,
  )
  return rows
}

export async function countAudit(scope: TenantScope, filter: AuditFilter): Promise<number> {
  const params: unknown[] = []
  const where = conditions(scope.tenantId, filter, params)
  const { rows } = await scope.query<{ count: number }>(
    `select count(*) as count from audit_logs where ${where.join(' and ')}`,
    params,
  )
  return rows[0]!.count
}
