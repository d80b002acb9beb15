import type { SystemScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import { contentSql, FORMAT } from './audit.hash.ts'

export interface PendingLine {
  id: string
  tenantId: string
  at: Date
  content: string
}

const LOCK_CHAIN = sql<{ held: boolean }>`select pg_try_advisory_xact_lock(hashtextextended('audit-chain', 0)) as held`

/** One process chains at a time; false when another one does. The lock ends with the transaction. */
export async function lockChain(scope: SystemScope): Promise<boolean> {
  const { rows } = await scope.run(LOCK_CHAIN)
  return rows[0]!.held
}

const SETTLED = sql<PendingLine>`select l.id, l.tenant_id as "tenantId", l.at, ${contentSql(part`l`)} as content
  from audit_pending p join audit_logs l on l.id = p.audit_id
  where p.xid < pg_snapshot_xmin(pg_current_snapshot()) or p.xid >= pg_snapshot_xmax(pg_current_snapshot())
  order by p.tenant_id, p.audit_id limit $1`

/**
 * Lines whose place is settled: no transaction that began before theirs is still open, so that none can come in front
 * of them any more. (A number that the database has not reached yet comes from before it was moved to another server.)
 */
export async function settledLines(scope: SystemScope, limit: number): Promise<PendingLine[]> {
  const { rows } = await scope.run(SETTLED, [limit])
  return rows
}

export interface Place {
  seq: number
  hash: Buffer
}

const HEAD_OF = sql<Place>`select seq, hash from audit_heads where tenant_id = $1`

export async function headOf(scope: SystemScope, tenantId: string): Promise<Place | undefined> {
  return (await scope.run(HEAD_OF, [tenantId])).rows[0]
}

const INSERT_AUDIT_CHAIN = sql`insert into audit_chain (tenant_id, seq, audit_id, hash, format)
  select $1, l.seq, l.id, l.hash, ${FORMAT} from unnest($2::bigint[], $3::uuid[], $4::bytea[]) as l (seq, id, hash)`

const DELETE_AUDIT_PENDING = sql`delete from audit_pending where audit_id = any ($1::uuid[])`

const INSERT_AUDIT_HEADS = sql`insert into audit_heads (tenant_id, seq, hash, seal) values ($1, $2, $3, $4)
  on conflict (tenant_id) do update
    set seq = excluded.seq, hash = excluded.hash, seal = excluded.seal, updated_at = now()`

export async function appendLinks(
  scope: SystemScope,
  tenantId: string,
  links: readonly (Place & { id: string })[],
  seal: Buffer,
): Promise<void> {
  const last = links.at(-1)!
  await scope.run(INSERT_AUDIT_CHAIN, [
    tenantId,
    links.map(({ seq }) => seq),
    links.map(({ id }) => id),
    links.map(({ hash }) => hash),
  ])
  await scope.run(DELETE_AUDIT_PENDING, [links.map(({ id }) => id)])
  await scope.run(INSERT_AUDIT_HEADS, [tenantId, last.seq, last.hash, seal])
}

const NEEDS_CHECKPOINT = sql`select 1 from audit_checkpoints where tenant_id = $1 and at >= $2::timestamp at time zone 'UTC' limit 1`

/** Whether the company has no checkpoint of this day (UTC) yet. */
export async function needsCheckpoint(scope: SystemScope, tenantId: string, day: string): Promise<boolean> {
  const { rowCount } = await scope.run(NEEDS_CHECKPOINT, [tenantId, day])
  return rowCount === 0
}

const YOUNGEST_UP_TO = sql<{ upto: Date }>`with earlier as (
    select seq, upto from audit_checkpoints where tenant_id = $1 and seq < $2 order by seq desc limit 1)
  select greatest((select upto from earlier), max(l.at)) as upto
  from audit_chain c join audit_logs l on l.id = c.audit_id
  where c.tenant_id = $1 and c.seq <= $2 and c.seq > coalesce((select seq from earlier), 0)`

/** Time of the youngest line since the checkpoint before, or of that checkpoint's. */
export async function youngestUpTo(scope: SystemScope, tenantId: string, seq: number): Promise<Date> {
  const { rows } = await scope.run(YOUNGEST_UP_TO, [tenantId, seq])
  return rows[0]!.upto
}

const INSERT_CHECKPOINT = sql`insert into audit_checkpoints (tenant_id, seq, hash, upto, seal, at) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing`

export async function insertCheckpoint(
  scope: SystemScope,
  tenantId: string,
  checkpoint: Place & { upto: Date; seal: Buffer; at: Date },
): Promise<void> {
  await scope.run(INSERT_CHECKPOINT, [
    tenantId,
    checkpoint.seq,
    checkpoint.hash,
    checkpoint.upto,
    checkpoint.seal,
    checkpoint.at,
  ])
}

const CHAINED_COMPANIES = sql<{ tenantId: string }>`select tenant_id as "tenantId" from audit_heads order by tenant_id`

export async function chainedCompanies(scope: SystemScope): Promise<string[]> {
  const { rows } = await scope.run(CHAINED_COMPANIES)
  return rows.map(({ tenantId }) => tenantId)
}

const LAST_CHECKPOINT_BEFORE = sql<{
  seq: number
}>`select seq from audit_checkpoints where tenant_id = $1 and upto < $2 order by seq desc limit 1`

/** The last checkpoint all of whose lines are older than this. */
export async function lastCheckpointBefore(
  scope: SystemScope,
  tenantId: string,
  before: Date,
): Promise<number | undefined> {
  const { rows } = await scope.run(LAST_CHECKPOINT_BEFORE, [tenantId, before])
  return rows[0]?.seq
}

const PRUNE_UP_TO = sql<{ gone: number }>`select prune_audit($1, $2, $3) as gone`

export async function pruneUpTo(scope: SystemScope, tenantId: string, seq: number, bound: number): Promise<number> {
  const { rows } = await scope.run(PRUNE_UP_TO, [tenantId, seq, bound])
  return rows[0]!.gone
}

const IS_MARKED = sql<{
  marked: boolean
}>`select exists (select 1 from audit_epochs) or exists (select 1 from audit_logs where mac is not null) as marked`

/** Whether it is settled which lines are from before lines had a MAC. */
export async function isMarked(scope: SystemScope): Promise<boolean> {
  const { rows } = await scope.run(IS_MARKED)
  return rows[0]!.marked
}

const ALL_PENDING = sql<PendingLine>`select l.id, l.tenant_id as "tenantId", l.at, ${contentSql(part`l`)} as content
  from audit_pending p join audit_logs l on l.id = p.audit_id order by p.tenant_id, p.audit_id limit $1`

/** Lines that are not linked, whoever wrote them when: at a start nobody else writes. */
export async function allPending(scope: SystemScope, limit: number): Promise<PendingLine[]> {
  const { rows } = await scope.run(ALL_PENDING, [limit])
  return rows
}

const HEADS = sql<Place & { tenantId: string }>`select tenant_id as "tenantId", seq, hash from audit_heads`

export async function heads(scope: SystemScope): Promise<(Place & { tenantId: string })[]> {
  return (await scope.run(HEADS)).rows
}

const INSERT_EPOCH = sql`insert into audit_epochs (tenant_id, seq, hash, seal) values ($1, $2, $3, $4)`

export async function insertEpoch(
  scope: SystemScope,
  place: Place & { tenantId: string },
  seal: Buffer,
): Promise<void> {
  await scope.run(INSERT_EPOCH, [place.tenantId, place.seq, place.hash, seal])
}
