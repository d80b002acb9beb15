import type { TenantScope } from '../../lib/database/database.ts'
import { type ListPosition, listSql } from '../../lib/sql/list.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

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
  request_id as "requestId", user_agent as "userAgent"`

const holds = (column: SqlPart) => part`strpos(lower(normalize(coalesce(${column}, ''), NFKC)), $1) > 0`

const LIST = listSql<AuditRow, AuditFilter, 'at'>({
  columns: COLUMNS,
  from: part`audit_logs`,
  where: part`tenant_id = $1`,
  given: 1,
  filters: {
    actorId: part`actor_id = $1`,
    action: part`action = $1`,
    objectType: part`object_type = $1`,
    objectId: part`object_id = $1`,
    result: part`result = $1`,
    ip: part`ip = $1`,
    from: part`at >= $1::timestamptz`,
    to: part`at < $1::timestamptz`,
    needle: part`(${holds(part`actor_name`)} or ${holds(part`object_name`)})`,
  },
  sorts: { at: { by: part`at`, type: 'timestamptz' } },
  id: { by: part`id`, type: 'uuid' },
})

/** A search for nothing is none. */
const asked = ({ needle, ...filter }: AuditFilter): AuditFilter => ({ ...filter, ...(needle ? { needle } : {}) })

export async function listAudit(
  scope: TenantScope,
  filter: AuditFilter,
  descending: boolean,
  after: ListPosition | null,
  limit: number,
): Promise<AuditRow[]> {
  const sort = { key: 'at', descending } as const
  return (await scope.run(...LIST.page({ given: [scope.tenantId], filter: asked(filter), sort, after, limit }))).rows
}

export async function countAudit(scope: TenantScope, filter: AuditFilter): Promise<number> {
  return (await scope.run(...LIST.count(asked(filter), [scope.tenantId]))).rows[0]!.n
}

export interface AuditDetailRow extends AuditRow {
  seq: number | null
  hash: Buffer | null
}

const FIND_AUDIT = sql<AuditDetailRow>`select ${COLUMNS}, at::text as position, (select seq from audit_chain c where c.audit_id = id_wanted) as seq,
    (select hash from audit_chain c where c.audit_id = id_wanted) as hash
  from audit_logs, (select $1::uuid as id_wanted) w where id = id_wanted`

export async function findAudit(scope: TenantScope, id: string): Promise<AuditDetailRow | undefined> {
  const { rows } = await scope.run(FIND_AUDIT, [id])
  return rows[0]
}

/** Every different value, by jumping from one to the next through an index that begins with it. */
const distinct = (column: SqlPart) => part`with recursive found (value) as (
    (select ${column} from audit_logs where tenant_id = $1 and ${column} is not null order by ${column} limit 1)
    union all
    select (select l.${column} from audit_logs l where l.tenant_id = $1 and l.${column} > f.value order by l.${column} limit 1)
    from found f where f.value is not null)`

const ACTIONS = sql<{ value: string }>`${distinct(part`action`)}
  select value from found where value is not null order by value limit 500`

const OBJECT_TYPES = sql<{ value: string }>`${distinct(part`object_type`)}
  select value from found where value is not null order by value limit 500`

const ACTORS = sql<{ id: string; name: string }>`${distinct(part`actor_id`)}
  select f.value as id, n.actor_name as name from (select value from found where value is not null limit 500) f,
    lateral (select actor_name from audit_logs where tenant_id = $1 and actor_id = f.value order by at desc limit 1) n
  order by n.actor_name`

export async function auditFilters(
  scope: TenantScope,
): Promise<{ actions: string[]; objectTypes: string[]; actors: { id: string; name: string }[] }> {
  const { rows: actors } = await scope.run(ACTORS, [scope.tenantId])
  const { rows: actions } = await scope.run(ACTIONS, [scope.tenantId])
  const { rows: types } = await scope.run(OBJECT_TYPES, [scope.tenantId])
  return { actions: actions.map(({ value }) => value), objectTypes: types.map(({ value }) => value), actors }
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

const CHAIN_HEAD = sql<{
  seq: number
  hash: Buffer
  linkedAt: Date
}>`select seq, hash, updated_at as "linkedAt" from audit_heads where tenant_id = $1`

const CHAIN_CHECKPOINTS = sql<{
  at: Date
  seq: number
  hash: Buffer
}>`select at, seq, hash from audit_checkpoints where tenant_id = $1 order by seq desc limit $2`

export async function chainFacts(scope: TenantScope, checkpoints: number): Promise<ChainFacts> {
  const { tenantId } = scope
  const head = await scope.run(CHAIN_HEAD, [tenantId])
  const counts = await scope.run(CHAIN_FACTS, [tenantId])
  const marks = await scope.run(CHAIN_CHECKPOINTS, [tenantId, checkpoints])
  return { seq: 0, hash: null, linkedAt: null, ...head.rows[0], ...counts.rows[0]!, checkpoints: marks.rows }
}
