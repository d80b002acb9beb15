import type { BatchItemState, CommandBatchView } from '@thingwright/contracts/command-batches.contract'
import type { CommandRequest } from '@thingwright/contracts/commands.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { filteredSql } from '../../lib/sql/filters.ts'
import { containing } from '../../lib/sql/list.ts'
import { type NoRow, part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import { DEVICE_FILTERS, type DeviceSelector } from '../devices/device-selector.views.ts'

export interface BatchRow {
  id: string
  tenantId: string
  name: string
  request: CommandRequest
  state: CommandBatchView['state']
  total: number
  perSecond: number
  ownerId: string | null
  ownerName: string
  actor: Record<string, unknown>
  locale: string
  ip: string | null
  retryOf: string | null
  createdAt: Date
  endedAt: Date | null
  /** `created_at` as PostgreSQL prints it. */
  place: string
}

export interface ItemRow {
  position: number
  deviceId: string
  device: number
  deviceNo: string
  deviceName: string
  state: BatchItemState
  commandId: string | null
  errorCode: string | null
  errorParams: Record<string, unknown> | null
  errorMessage: string | null
  reply: unknown
  finishedAt: Date | null
}

const COLUMNS = part`id, tenant_id as "tenantId", name, request, state, total, per_second as "perSecond", owner_id as "ownerId",
  owner_name as "ownerName", actor, locale, ip, retry_of as "retryOf", created_at as "createdAt", ended_at as "endedAt",
  created_at::text as place`

const INSERT_BATCH = sql`insert into command_batches (id, tenant_id, name, request, per_second, owner_id, owner_name, actor, locale, ip, retry_of)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

export async function insertBatch(
  scope: TenantScope,
  batch: Pick<
    BatchRow,
    'id' | 'name' | 'request' | 'perSecond' | 'ownerId' | 'ownerName' | 'actor' | 'locale' | 'ip' | 'retryOf'
  >,
): Promise<void> {
  await scope.run(INSERT_BATCH, [
    batch.id,
    scope.tenantId,
    batch.name,
    JSON.stringify(batch.request),
    batch.perSecond,
    batch.ownerId,
    batch.ownerName,
    JSON.stringify(batch.actor),
    batch.locale,
    batch.ip,
    batch.retryOf,
  ])
}

const ITEM = part`batch_id, position, tenant_id, device_id, device, device_no, device_name`
const INSERT_ITEMS = part`insert into command_batch_items (${ITEM})`

const INSERT_TARGETS = filteredSql<NoRow, DeviceSelector>(
  { filters: DEVICE_FILTERS, given: 3 },
  where => part`${INSERT_ITEMS}
    select $1, row_number() over (order by num), $2, id, num, device_no, name
    from (select d.id, d.num, d.device_no, d.name from devices d where d.tenant_id = $2 and ${where} order by d.num limit $3) d`,
)

/**
 * The devices of a target that the caller may see, each once, in order of their numbers.
 * @returns how many; at most `limit + 1`
 */
export async function insertTargets(
  scope: TenantScope,
  batchId: string,
  target: DeviceSelector,
  limit: number,
): Promise<number> {
  const { rowCount } = await scope.run(...INSERT_TARGETS.of(target, batchId, scope.tenantId, limit + 1))
  return rowCount ?? 0
}

const INSERT_MISSING = sql`insert into command_batch_items (${ITEM}, state, error_code)
  select $1, (select coalesce(max(position), 0) from command_batch_items where batch_id = $1) + n, $2, id, -n, '', '', 'refused', 'device.not_found'
  from (select id, row_number() over () as n from (
    select distinct unnest($3::uuid[]) as id except select device_id from command_batch_items where batch_id = $1) i) m`

/** Devices asked for by id that are not among the caller's: rows that say so. */
export async function insertMissing(scope: TenantScope, batchId: string, ids: readonly string[]): Promise<number> {
  const { rowCount } = await scope.run(INSERT_MISSING, [batchId, scope.tenantId, ids])
  return rowCount ?? 0
}

const INSERT_FAILED = sql`${INSERT_ITEMS}
  select $1, row_number() over (order by i.position), $2, i.device_id, i.device, i.device_no, i.device_name
  from command_batch_items i left join commands c on c.id = i.command_id
  where i.batch_id = $3 and i.device > 0 and (i.state = 'refused' or c.state in ('rejected', 'timed_out', 'expired', 'failed')
    or (i.state = 'created' and c.id is null))`

/** The devices of another batch whose command did not do its work. */
export async function insertFailed(scope: TenantScope, batchId: string, of: string): Promise<number> {
  const { rowCount } = await scope.run(INSERT_FAILED, [batchId, scope.tenantId, of])
  return rowCount ?? 0
}

const PRODUCTS_OF = sql<{
  id: string
}>`select distinct d.product_id as id from command_batch_items i join devices d on d.id = i.device_id where i.batch_id = $1 limit 50`

/** Products of the devices of a batch, for the questions that are asked before it begins. */
export async function productsOf(scope: TenantScope, batchId: string): Promise<string[]> {
  const { rows } = await scope.run(PRODUCTS_OF, [batchId])
  return rows.map(row => row.id)
}

const SET_TOTAL = sql`update command_batches set total = $2 where id = $1`

export async function setTotal(scope: TenantScope, batchId: string, total: number): Promise<void> {
  await scope.run(SET_TOTAL, [batchId, total])
}

const FIND_BATCH = sql<BatchRow>`select ${COLUMNS} from command_batches where id = $1`

export async function findBatch(scope: Pick<TenantScope, 'run'>, id: string): Promise<BatchRow | null> {
  const { rows } = await scope.run(FIND_BATCH, [id])
  return rows[0] ?? null
}

const list = (given: number, after: SqlPart) =>
  filteredSql<BatchRow, { ownerId?: string }>(
    { filters: { ownerId: part`owner_id = $1` }, given },
    where => part`select ${COLUMNS} from command_batches where tenant_id = $2 and ${where}${after}
      order by created_at desc, id desc limit $1`,
  )
const LIST = { first: list(2, part``), next: list(4, part` and (created_at, id) < ($3::timestamptz, $4::uuid)`) }

/** @param ownerId only this person's; null: the company's */
export async function listBatches(
  scope: TenantScope,
  ownerId: string | null,
  after: readonly [string, string] | null,
  limit: number,
): Promise<BatchRow[]> {
  const filter = ownerId ? { ownerId } : {}
  const statement = after
    ? LIST.next.of(filter, limit, scope.tenantId, ...after)
    : LIST.first.of(filter, limit, scope.tenantId)
  return (await scope.run(...statement)).rows
}

/** A device's state: its turn, else what became of its command; a command that is gone with its device is `failed`. */
const STATE = part`case when i.state = 'created' then coalesce(c.state, 'failed') else i.state end`
const FROM = part`command_batch_items i left join commands c on c.id = i.command_id`

const COUNTS_OF = sql<{
  id: string
  state: string
  n: number
}>`select i.batch_id as id, ${STATE} as state, count(*) as n from ${FROM} where i.batch_id = any ($1::uuid[]) group by 1, 2`

export async function countsOf(
  scope: TenantScope,
  batchIds: readonly string[],
): Promise<Map<string, Record<string, number>>> {
  const { rows } = await scope.run(COUNTS_OF, [batchIds])
  const counts = new Map<string, Record<string, number>>(batchIds.map(id => [id, {}]))
  for (const { id, state, n } of rows) counts.get(id)![state] = n
  return counts
}

const LIST_ITEMS = filteredSql<ItemRow, { state?: BatchItemState; pattern?: string }>(
  {
    filters: {
      state: part`${STATE} = $1`,
      pattern: part`(i.device_no ilike $1 or i.device_name ilike $1)`,
    },
    given: 3,
  },
  where => part`select i.position, i.device_id as "deviceId", i.device, i.device_no as "deviceNo", i.device_name as "deviceName",
      ${STATE} as state, i.command_id as "commandId",
      coalesce(i.error_code, case when i.state = 'created' and c.id is null then 'device.not_found' else c.error_code end) as "errorCode",
      i.error_params as "errorParams", c.error_message as "errorMessage", c.reply, c.finished_at as "finishedAt"
    from ${FROM} where i.batch_id = $1 and i.position > $2 and ${where} order by i.position limit $3`,
)

export async function listItems(
  scope: TenantScope,
  batchId: string,
  { state, q, after, limit }: { state?: BatchItemState; q?: string; after: number; limit: number },
): Promise<ItemRow[]> {
  const filter = { ...(state ? { state } : {}), ...(q ? { pattern: containing(q) } : {}) }
  return (await scope.run(...LIST_ITEMS.of(filter, batchId, after, limit))).rows
}

// ── at work ──

const CLAIM_BATCH = sql<BatchRow>`select ${COLUMNS} from command_batches where state in ('running', 'cancelling') and next_at <= now()
  order by next_at limit 1 for update skip locked`

/**
 * The batch whose turn it is, held until the transaction ends: a process that dies lets go of it, and another one goes on.
 */
export async function claimBatch(scope: SystemScope): Promise<BatchRow | null> {
  const { rows } = await scope.run(CLAIM_BATCH)
  return rows[0] ?? null
}

const NEXT_BATCH_IN = sql<{
  ms: number | null
}>`select extract(epoch from min(next_at) - now())::float8 * 1000 as ms from command_batches where state in ('running', 'cancelling')`

/** Milliseconds until the next part of any batch may leave; null: none is at work. */
export async function nextBatchIn(scope: SystemScope): Promise<number | null> {
  const { rows } = await scope.run(NEXT_BATCH_IN)
  return rows[0]?.ms ?? null
}

const HOLD_BATCH = sql<BatchRow>`select ${COLUMNS} from command_batches where id = $1 and state in ('running', 'cancelling') and next_at <= now()
  for update skip locked`

/** Holds one batch for this transaction; null when another process is at it, or it has ended. */
export async function holdBatch(scope: TenantScope, id: string): Promise<BatchRow | null> {
  const { rows } = await scope.run(HOLD_BATCH, [id])
  return rows[0] ?? null
}

const PENDING_ITEMS = sql<{
  position: number
  deviceId: string
  device: number
}>`select position, device_id as "deviceId", device from command_batch_items
  where batch_id = $1 and state = 'pending' order by position limit $2`

export async function pendingItems(
  scope: TenantScope,
  batchId: string,
  limit: number,
): Promise<{ position: number; deviceId: string; device: number }[]> {
  const { rows } = await scope.run(PENDING_ITEMS, [batchId, limit])
  return rows
}

const MARK_CREATED = sql`update command_batch_items i set state = 'created', command_id = c.id
  from unnest($2::int[], $3::uuid[]) as c (position, id) where i.batch_id = $1 and i.position = c.position`

export async function markCreated(
  scope: TenantScope,
  batchId: string,
  items: readonly { position: number; commandId: string }[],
): Promise<void> {
  await scope.run(MARK_CREATED, [batchId, items.map(item => item.position), items.map(item => item.commandId)])
}

const MARK_REFUSED = sql`update command_batch_items i set state = 'refused', error_code = c.code, error_params = c.params
  from unnest($2::int[], $3::text[], $4::jsonb[]) as c (position, code, params)
  where i.batch_id = $1 and i.position = c.position`

export async function markRefused(
  scope: TenantScope,
  batchId: string,
  items: readonly { position: number; code: string; params: Record<string, unknown> }[],
): Promise<void> {
  await scope.run(MARK_REFUSED, [
    batchId,
    items.map(item => item.position),
    items.map(item => item.code),
    items.map(item => JSON.stringify(item.params)),
  ])
}

const END_PENDING = sql`update command_batch_items set state = $2, error_code = $3 where batch_id = $1 and state = 'pending'`

/** Refuses or cancels whatever still waits for its turn. */
export async function endPending(
  scope: TenantScope,
  batchId: string,
  state: 'refused' | 'cancelled',
  code: string,
): Promise<number> {
  const { rowCount } = await scope.run(END_PENDING, [batchId, state, code])
  return rowCount ?? 0
}

const CANCEL_QUEUED = sql<{
  device: number
  id: string
}>`with held as (select id from commands where batch_id = $1 and state = 'queued' order by id for update)
  update commands set state = 'cancelled', finished_at = now(), error_code = 'cancelled'
  where id in (select id from held) and state = 'queued' returning device, id`

/** Commands of a batch that wait for their device are taken back. @returns those changed */
export async function cancelQueued(scope: TenantScope, batchId: string): Promise<{ device: number; id: string }[]> {
  const { rows } = await scope.run(CANCEL_QUEUED, [batchId])
  return rows
}

const SET_BATCH_STATE = sql`update command_batches set state = $2, ended_at = case when $2 in ('done', 'cancelled') then now() end,
  next_at = now() where id = $1`

export async function setBatchState(scope: TenantScope, id: string, state: BatchRow['state']): Promise<void> {
  await scope.run(SET_BATCH_STATE, [id, state])
}

const PAUSE_BATCH = sql`update command_batches set next_at = now() + make_interval(secs => $2::float8 / 1000) where id = $1`

/** The next part may leave so much later. */
export async function pauseBatch(scope: Pick<TenantScope, 'run'>, id: string, ms: number): Promise<void> {
  await scope.run(PAUSE_BATCH, [id, ms])
}
