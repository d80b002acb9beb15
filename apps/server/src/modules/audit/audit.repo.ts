import type { TenantScope } from '../../lib/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

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
  userAgent: string | null
  /** The time as PostgreSQL prints it, with its microseconds. */
  position: string
}

export interface AuditFilter {
  actorId?: string
  action?: string
  objectType?: string
  objectId?: string
  result?: string
  ip?: string
  from?: string
  to?: string
  /** Part of the actor's or object's name, normalised. */
  needle?: string
}

const COLUMNS = part`id, at, actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", action,
  object_type as "objectType", object_id as "objectId", object_name as "objectName", before, after, result, ip,
  request_id as "requestId", user_agent as "userAgent", at::text as position`

const EQUAL = {
  actorId: 'actor_id',
  action: 'action',
  objectType: 'object_type',
  objectId: 'object_id',
  result: 'result',
  ip: 'ip',
} as const

function conditions(tenantId: string, filter: AuditFilter, params: unknown[]): string[] {
  const param = (value: unknown) => `$${params.push(value)}`
  const where = [`tenant_id = ${param(tenantId)}`]
  for (const [key, column] of Object.entries(EQUAL)) {
    const value = filter[key as keyof typeof EQUAL]
    if (value !== undefined) where.push(`${column} = ${param(value)}`)
  }
  if (filter.from !== undefined) where.push(`at >= ${param(filter.from)}::timestamptz`)
  if (filter.to !== undefined) where.push(`at < ${param(filter.to)}::timestamptz`)
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

export interface AuditDetailRow extends AuditRow {
  seq: number | null
  hash: Buffer | null
}

const FIND_AUDIT = sql<AuditDetailRow>`select ${COLUMNS}, (select seq from audit_chain c where c.audit_id = id_wanted) as seq,
    (select hash from audit_chain c where c.audit_id = id_wanted) as hash
  from audit_logs, (select $1::uuid as id_wanted) w where id = id_wanted`

export async function findAudit(scope: TenantScope, id: string): Promise<AuditDetailRow | undefined> {
  const { rows } = await scope.run(FIND_AUDIT, [id])
  return rows[0]
}

/** Every different value, by jumping from one to the next through an index that begins with it. */
function distinct(column: string): string {
  return `with recursive found (value) as (
    (select ${column} from audit_logs where tenant_id = $1 and ${column} is not null order by ${column} limit 1)
    union all
    select (select l.${column} from audit_logs l where l.tenant_id = $1 and l.${column} > f.value order by l.${column} limit 1)
    from found f where f.value is not null)`
}

export async function auditFilters(
  scope: TenantScope,
): Promise<{ actions: string[]; objectTypes: string[]; actors: { id: string; name: string }[] }> {
  const values = async (column: string) =>
    (
      await scope.query<{ value: string }>(
        `${distinct(column)} select value from found where value is not null order by value limit 500`,
        [scope.tenantId],
      )
    ).rows.map(({ value }) => value)
  const { rows: actors } = await scope.query<{ id: string; name: string }>(
    `${distinct('actor_id')}
     select f.value as id, n.actor_name as name from (select value from found where value is not null limit 500) f,
       lateral (select actor_name from audit_logs where tenant_id = $1 and actor_id = f.value order by at desc limit 1) n
     order by n.actor_name`,
    [scope.tenantId],
  )
  return { actions: await values('action'), objectTypes: await values('object_type'), actors }
}

export interface ChainFacts {
  seq: number
  hash: Buffer | null
  linkedAt: Date | null
  pending: number
  cutAt: number | null
  checkpoints: { at: Date; seq: number; hash: Buffer }[]
}

const CHAIN_FACTS = sql<{
  pending: number
  cutAt: number | null
}>`select (select count(*) from audit_pending where tenant_id = $1) as pending,
  (select max(seq) from audit_checkpoints where tenant_id = $1 and cut_at is not null) as "cutAt"`

export async function chainFacts(scope: TenantScope, checkpoints: number): Promise<ChainFacts> {
  const { tenantId } = scope
  const head = await scope.query<{ seq: number; hash: Buffer; linkedAt: Date }>(
    'select seq, hash, updated_at as "linkedAt" from audit_heads where tenant_id = $1',
    [tenantId],
  )
  const counts = await scope.run(CHAIN_FACTS, [tenantId])
  const marks = await scope.query<{ at: Date; seq: number; hash: Buffer }>(
    `select at, seq, hash from audit_checkpoints where tenant_id = $1 order by seq desc limit ${checkpoints}`,
    [tenantId],
  )
  return { seq: 0, hash: null, linkedAt: null, ...head.rows[0], ...counts.rows[0]!, checkpoints: marks.rows }
}
