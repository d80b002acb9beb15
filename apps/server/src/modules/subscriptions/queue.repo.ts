import type pg from 'pg'
import { part, runOn, sql } from '../../lib/sql/statement.ts'
import type { QueuedItem } from './items.ts'
import type { StoredItem } from './payload.ts'

/** A connection of the telemetry role: inside a transaction for `append`, a pool for everything else. */
export type QueueClient = Pick<pg.ClientBase, 'query'>
/** The queues' own connections. */
export type QueuePool = Pick<pg.Pool, 'query' | 'connect'>

const UPDATE_SUBSCRIPTION_QUEUES = sql<{ id: string; lastSeq: number }>`with held as (
    select q.subscription_id as id, w.n from subscription_queues q
    join unnest($1::uuid[], $2::int[]) as w (id, n) on w.id = q.subscription_id
    order by q.subscription_id for update of q)
  update subscription_queues q set last_seq = last_seq + held.n from held where q.subscription_id = held.id
  returning q.subscription_id as id, q.last_seq as "lastSeq"`.named('subscriptions-number')

const INSERT_SUBSCRIPTION_ITEMS = sql`insert into subscription_items (subscription_id, seq, at, device, item)
  select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::int[], $5::text[])`.named('subscriptions-append')

/**
 * Puts items behind the queues of their subscriptions, in the caller's transaction. The queues' rows are held until it
 * ends, so that numbers appear in their order and without gaps. Subscriptions that are gone take nothing.
 * @returns subscriptions that got something
 */
export async function append(client: QueueClient, items: readonly QueuedItem[]): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const { subscriptionId } of items) counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1)
  if (counts.size === 0) return []
  // In order of ids, so that two lanes never wait for each other crosswise.
  const ids = [...counts.keys()].sort()
  const { rows } = await runOn(client, UPDATE_SUBSCRIPTION_QUEUES, [ids, ids.map(id => counts.get(id))])
  const next = new Map(rows.map(({ id, lastSeq }) => [id, lastSeq - counts.get(id)! + 1]))
  const kept = items.filter(({ subscriptionId }) => next.has(subscriptionId))
  if (kept.length === 0) return []
  const seqs = kept.map(({ subscriptionId }) => {
    const seq = next.get(subscriptionId)!
    next.set(subscriptionId, seq + 1)
    return seq
  })
  await runOn(client, INSERT_SUBSCRIPTION_ITEMS, [
    kept.map(({ subscriptionId }) => subscriptionId),
    seqs,
    kept.map(({ at }) => at),
    kept.map(({ device }) => device),
    kept.map(({ item }) => item),
  ])
  return [...next.keys()]
}

const READ_AFTER =
  sql<StoredItem>`select seq, at, device, item from subscription_items where subscription_id = $1 and seq > $2 order by seq limit $3`.named(
    'subscriptions-read',
  )

/** What follows a place, oldest first. */
export async function readAfter(db: QueueClient, id: string, after: number, limit: number): Promise<StoredItem[]> {
  const { rows } = await runOn(db, READ_AFTER, [id, after, limit])
  return rows
}

export interface ProgressRow {
  ackedSeq: number
  delivered: number
  dropped: number
  failures: number
  failingSince: Date | null
  nextTryAt: Date | null
  headSince: Date | null
  headAttempts: number
  lastDeliveredAt: Date | null
  lastFailedAt: Date | null
  lastError: string | null
}

const PROGRESS = part`acked_seq as "ackedSeq", delivered, dropped, failures, failing_since as "failingSince", next_try_at as "nextTryAt",
  head_since as "headSince", head_attempts as "headAttempts", last_delivered_at as "lastDeliveredAt",
  last_failed_at as "lastFailedAt", last_error as "lastError"`

const READ_PROGRESS = sql<ProgressRow>`select ${PROGRESS} from subscription_progress where subscription_id = $1`

export async function readProgress(db: QueueClient, id: string): Promise<ProgressRow | undefined> {
  const { rows } = await runOn(db, READ_PROGRESS, [id])
  return rows[0]
}

const SAVE_PROGRESS =
  sql`update subscription_progress set acked_seq = $2, delivered = $3, dropped = $4, failures = $5, failing_since = $6,
    next_try_at = $7, head_since = $8, head_attempts = $9, last_delivered_at = $10, last_failed_at = $11, last_error = $12
  where subscription_id = $1`.named('subscriptions-progress')

export async function saveProgress(db: QueueClient, id: string, p: ProgressRow): Promise<void> {
  await runOn(db, SAVE_PROGRESS, [
    id,
    p.ackedSeq,
    p.delivered,
    p.dropped,
    p.failures,
    p.failingSince,
    p.nextTryAt,
    p.headSince,
    p.headAttempts,
    p.lastDeliveredAt,
    p.lastFailedAt,
    p.lastError,
  ])
}

export interface LogRow {
  at: Date
  result: 'ok' | 'partial' | 'retry' | 'refused' | 'dead' | 'dropped'
  items: number
  skipped: number
  attempt: number
  status: number | null
  latencyMs: number | null
  reason: string | null
  detail: string | null
  firstItemId: string | null
  body: string | null
  answer: string | null
}

const INSERT_LOG = sql`insert into subscription_log (tenant_id, subscription_id, at, result, items, skipped, attempt, status, latency_ms, reason, detail, first_item_id, body, answer)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 from subscriptions where id = $2`

export async function insertLog(db: QueueClient, id: string, tenantId: string, row: LogRow): Promise<void> {
  await runOn(db, INSERT_LOG, [
    tenantId,
    id,
    row.at,
    row.result,
    row.items,
    row.skipped,
    row.attempt,
    row.status,
    row.latencyMs,
    row.reason,
    row.detail,
    row.firstItemId,
    row.body,
    row.answer,
  ])
}

export interface DeadRow {
  id: string
  device: number
  item: string
}

const INSERT_DEAD = sql`insert into subscription_dead_letters (id, tenant_id, subscription_id, device, item, reason, status, attempts, at)
  select d.id, $2, $1, d.device, d.item, $6, $7, $8, $9 from unnest($3::uuid[], $4::int[], $5::text[]) as d (id, device, item)
  where exists (select 1 from subscriptions where id = $1)`

/** Items that will not be tried again by themselves. */
export async function insertDead(
  db: QueueClient,
  id: string,
  tenantId: string,
  rows: readonly DeadRow[],
  why: { reason: string; status: number | null; attempts: number; at: Date },
): Promise<void> {
  await runOn(db, INSERT_DEAD, [
    id,
    tenantId,
    rows.map(row => row.id),
    rows.map(row => row.device),
    rows.map(row => row.item),
    why.reason,
    why.status,
    why.attempts,
    why.at,
  ])
}

export interface QueueFacts {
  id: string
  lastSeq: number
  ackedSeq: number
  /** Arrival of the oldest that waits, epoch ms. */
  oldestAt: number | null
  /** The oldest that is kept at all. */
  keptSeq: number | null
  keptFrom: number | null
}

const FACTS_OF = sql<QueueFacts>`select q.subscription_id as id, q.last_seq as "lastSeq", p.acked_seq as "ackedSeq",
    (select i.at from subscription_items i where i.subscription_id = q.subscription_id and i.seq > p.acked_seq order by i.seq limit 1) as "oldestAt",
    kept.seq as "keptSeq", kept.at as "keptFrom"
  from subscription_queues q join subscription_progress p using (subscription_id)
  left join lateral (select i.seq, i.at from subscription_items i where i.subscription_id = q.subscription_id order by i.seq limit 1) kept on true
  where q.subscription_id = any ($1::uuid[])`

/** How the queues of these subscriptions stand. The caller has shown that they may be seen. */
export async function factsOf(db: QueueClient, ids: readonly string[]): Promise<QueueFacts[]> {
  const { rows } = await runOn(db, FACTS_OF, [ids])
  return rows
}

const FIRST_SINCE = sql<{
  seq: number
  at: number
}>`select seq, at from subscription_items where subscription_id = $1 and at >= $2 order by seq limit 1`

/** The first kept item that arrived at or after a time. */
export async function firstSince(
  db: QueueClient,
  id: string,
  at: number,
): Promise<{ seq: number; at: number } | undefined> {
  const { rows } = await runOn(db, FIRST_SINCE, [id, at])
  return rows[0]
}

const DELETE_DELIVERED = sql`delete from subscription_items where subscription_id = $1 and seq in (
    select seq from subscription_items where subscription_id = $1 and seq <= $2 order by seq limit $5)
  and (seq <= $2 - $3 or at < $4)`

/** Delivered items that need not be kept any longer, at most so many at a time. @returns how many went */
export async function deleteDelivered(
  db: QueueClient,
  id: string,
  before: { seq: number; keepItems: number; at: number },
  limit: number,
): Promise<number> {
  const { rowCount } = await runOn(db, DELETE_DELIVERED, [id, before.seq, before.keepItems, before.at, limit])
  return rowCount ?? 0
}

const LAST_WAITING_BEFORE = sql<{
  seq: number
}>`select seq from subscription_items where subscription_id = $1 and seq > $2 and at < $3 order by seq desc limit 1`

/** The last item that arrived before a time and still waits; undefined: none. */
export async function lastWaitingBefore(
  db: QueueClient,
  id: string,
  acked: number,
  at: number,
): Promise<number | undefined> {
  const { rows } = await runOn(db, LAST_WAITING_BEFORE, [id, acked, at])
  return rows[0]?.seq
}

const DELETE_ORPHANS = sql`delete from subscription_items i using (
    select i.subscription_id, i.seq from subscription_items i
    where i.subscription_id in (
      with recursive each as (
        (select subscription_id as id from subscription_items order by subscription_id limit 1)
        union all
        select (select subscription_id from subscription_items where subscription_id > each.id order by subscription_id limit 1) from each where each.id is not null)
      select id from each where id is not null and not exists (select 1 from subscriptions s where s.id = each.id))
    limit $1) gone
  where i.subscription_id = gone.subscription_id and i.seq = gone.seq`

/** Items of subscriptions that are gone. */
export async function deleteOrphans(db: QueueClient, limit: number): Promise<number> {
  const { rowCount } = await runOn(db, DELETE_ORPHANS, [limit])
  return rowCount ?? 0
}

const DELETE_SUBSCRIPTION_LOG = sql`delete from subscription_log where subscription_id = $1 and id <= (
  select id from subscription_log where subscription_id = $1 order by id desc offset $2 limit 1)`

const DELETE_SUBSCRIPTION_DEAD_LETTERS = sql`delete from subscription_dead_letters where subscription_id = $1 and (at < $2 or (at, id) <= (
  select at, id from subscription_dead_letters where subscription_id = $1 order by at desc, id desc offset $3 limit 1))`

/** Keeps the last lines of a log and the young dead letters. */
export async function trim(
  db: QueueClient,
  id: string,
  keep: { log: number; dead: number; deadSince: Date },
): Promise<void> {
  await runOn(db, DELETE_SUBSCRIPTION_LOG, [id, keep.log])
  await runOn(db, DELETE_SUBSCRIPTION_DEAD_LETTERS, [id, keep.deadSince, keep.dead])
}

const MARK_TOLD = sql`update subscription_progress set backlog_told = $2 where subscription_id = $1 and backlog_told <> $2`

/** Marks that a notice about the backlog was given, or takes the mark back. @returns whether it changed */
export async function markTold(db: QueueClient, id: string, told: boolean): Promise<boolean> {
  const { rowCount } = await runOn(db, MARK_TOLD, [id, told])
  return rowCount === 1
}

const ACKNOWLEDGE = sql<{
  ackedSeq: number
}>`update subscription_progress p set delivered = p.delivered + greatest(0, $2 - p.acked_seq),
    acked_seq = greatest(p.acked_seq, $2), last_delivered_at = case when $2 > p.acked_seq then $3 else p.last_delivered_at end
  from subscription_queues q where p.subscription_id = $1 and q.subscription_id = $1 and $2 <= q.last_seq
  returning p.acked_seq as "ackedSeq"`

/** What a client that pulls has made safe. Never goes back. @returns null: beyond the end of the queue */
export async function acknowledge(db: QueueClient, id: string, cursor: number, at: Date): Promise<number | null> {
  const { rows } = await runOn(db, ACKNOWLEDGE, [id, cursor, at])
  return rows[0]?.ackedSeq ?? null
}

const REQUEUE_DEAD = sql<{
  device: number
  item: string
}>`with gone as (delete from subscription_dead_letters where subscription_id = $1 and ($2::uuid[] is null or id = any ($2))
    returning id, device, item)
  select device, item from gone order by id`

/** Puts dead letters behind the queue again, in the order they died. @returns how many */
export async function requeueDead(
  client: QueueClient,
  id: string,
  ids: readonly string[] | null,
  at: number,
): Promise<number> {
  const { rows } = await runOn(client, REQUEUE_DEAD, [id, ids])
  const items = rows.map(({ device, item }) => ({ subscriptionId: id, at, device, item }))
  return (await append(client, items)).length === 0 ? 0 : items.length
}

export interface DomainEventRow {
  id: number
  at: number
  tenantId: string
  kind: 'command' | 'lifecycle' | 'firmware' | 'alarm'
  device: number
  deviceId: string
  deviceNo: string
  productId: string
  groupId: string | null
  tags: string[]
  createdBy: string | null
  /** JSON text. */
  data: string
}

const TAKE_TURN = sql<{ held: boolean }>`select pg_try_advisory_xact_lock(hashtextextended('domain-events', 0)) as held`

const SELECT_AT =
  sql<DomainEventRow>`select id, floor(extract(epoch from at) * 1000)::bigint as at, tenant_id as "tenantId", kind, device, device_id as "deviceId",
    device_no as "deviceNo", product_id as "productId", group_id as "groupId", tags, created_by as "createdBy", data::text as data
  from domain_events
  where xid < pg_snapshot_xmin(pg_current_snapshot()) or xid >= pg_snapshot_xmax(pg_current_snapshot())
  order by id limit $1`.named('subscriptions-events')

/**
 * Events whose place is settled: no transaction that began before theirs is still open. Null: another process is at it.
 * (An xid that the database has not reached yet comes from before it was moved to another server.)
 */
export async function settledEvents(client: QueueClient, limit: number): Promise<DomainEventRow[] | null> {
  const { rows: held } = await runOn(client, TAKE_TURN)
  if (!held[0]!.held) return null
  const { rows } = await runOn(client, SELECT_AT, [limit])
  return rows
}

const DELETE_EVENTS = sql`delete from domain_events where id = any ($1::bigint[])`

export async function deleteEvents(client: QueueClient, ids: readonly number[]): Promise<void> {
  await runOn(client, DELETE_EVENTS, [ids])
}

const TOTALS = sql<{
  waiting: number
  failing: number
  paused: number
}>`select coalesce(sum(q.last_seq - p.acked_seq), 0)::bigint as waiting,
    count(*) filter (where p.failures > 0)::int as failing, count(*) filter (where s.state = 'paused')::int as paused
  from subscription_queues q join subscription_progress p using (subscription_id) join subscriptions s on s.id = q.subscription_id`

/** Sums over the installation. */
export async function totals(db: QueueClient): Promise<{ waiting: number; failing: number; paused: number }> {
  const { rows } = await runOn(db, TOTALS)
  return rows[0]!
}
