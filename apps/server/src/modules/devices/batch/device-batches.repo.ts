import type { DeviceChange } from '@thingwright/contracts/device-batches.contract'
import type { TenantScope } from '../../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../../lib/sql/statement.ts'
import { DEVICE_COLUMNS, DEVICE_JOINS, type DeviceRow } from '../devices.repo.ts'

export interface BatchRow {
  id: string
  action: DeviceChange['action']
  change: DeviceChange
  total: number
  done: number
  failedCount: number
  taskId: string | null
  retryOf: string | null
  createdBy: string | null
  createdAt: Date
}

const COLUMNS = part`id, action, change, cardinality(nums) as total, done, cardinality(failed) as "failedCount",
  task_id as "taskId", retry_of as "retryOf", created_by as "createdBy", created_at as "createdAt"`

const INSERT_BATCH = sql`insert into device_batches (id, tenant_id, action, change, nums, created_by, retry_of)
  values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertBatch(
  scope: TenantScope,
  batch: { id: string; change: DeviceChange; nums: number[]; createdBy: string | null; retryOf: string | null },
): Promise<void> {
  await scope.run(INSERT_BATCH, [
    batch.id,
    scope.tenantId,
    batch.change.action,
    JSON.stringify(batch.change),
    batch.nums,
    batch.createdBy,
    batch.retryOf,
  ])
}

const SET_TASK = sql`update device_batches set task_id = $2 where id = $1`

export async function setTask(scope: TenantScope, id: string, taskId: string): Promise<void> {
  await scope.run(SET_TASK, [id, taskId])
}

const FIND_BATCH = sql<BatchRow>`select ${COLUMNS} from device_batches where id = $1`

export async function findBatch(scope: TenantScope, id: string): Promise<BatchRow | undefined> {
  return (await scope.run(FIND_BATCH, [id])).rows[0]
}

const DROP_OLD_BATCHES = sql`delete from device_batches where tenant_id = $1 and created_at < $2`

/** Batches are forgotten with their tasks. */
export async function dropOldBatches(scope: TenantScope, before: Date): Promise<void> {
  await scope.run(DROP_OLD_BATCHES, [scope.tenantId, before])
}

const NUMS_OF = sql<{ nums: number[] }>`select nums[$2:$3] as nums from device_batches where id = $1`

/** The devices of a stretch of the batch. */
export async function numsOf(scope: TenantScope, id: string, from: number, count: number): Promise<number[]> {
  const { rows } = await scope.run(NUMS_OF, [id, from + 1, from + count])
  return rows[0]?.nums ?? []
}

const FAILED_NUMS = sql<{ failed: number[] }>`select failed from device_batches where id = $1`

export async function failedNums(scope: TenantScope, id: string): Promise<number[]> {
  return (await scope.run(FAILED_NUMS, [id])).rows[0]?.failed ?? []
}

const ADVANCE = sql`update device_batches set done = done + $2, failed = failed || $3::int[] where id = $1`

export async function advance(scope: TenantScope, id: string, done: number, failed: number[]): Promise<void> {
  await scope.run(ADVANCE, [id, done, failed])
}

const LOCK_DEVICES = sql<DeviceRow>`select ${DEVICE_COLUMNS} from devices d ${DEVICE_JOINS} where d.num = any ($1::int[]) order by d.num for update of d`

/** Devices of the caller's scope by number, locked until the transaction ends; others are absent. */
export async function lockDevices(scope: TenantScope, nums: number[]): Promise<DeviceRow[]> {
  const { rows } = await scope.run(LOCK_DEVICES, [nums])
  return rows
}

const NUMS_BY_ID = sql<{ num: number }>`select num from devices where id = any ($1::uuid[]) order by num`

export async function numsById(scope: TenantScope, ids: readonly string[]): Promise<number[]> {
  const { rows } = await scope.run(NUMS_BY_ID, [ids])
  return rows.map(row => row.num)
}

const updateAllWith = (set: SqlPart) =>
  sql`update devices d set ${set}, version = version + 1, updated_at = now() where num = any ($1::int[])`

const UPDATES = {
  enable: updateAllWith(part`lifecycle = case when activated_at is null then 'inactive' else 'active' end`),
  disable: updateAllWith(part`lifecycle = 'disabled'`),
  recycle: updateAllWith(part`lifecycle_before = lifecycle, lifecycle = 'recycled', recycled_at = now()`),
  restore: updateAllWith(
    part`lifecycle = coalesce(lifecycle_before, 'inactive'), lifecycle_before = null, recycled_at = null`,
  ),
  move: updateAllWith(part`group_id = $2`),
  offlineDelay: updateAllWith(part`offline_delay_seconds = $2`),
  product: updateAllWith(part`product_id = $2, product_num = $3`),
}

/** Writes the same of many devices and raises their versions. */
export async function updateAll(
  scope: TenantScope,
  nums: number[],
  what: keyof typeof UPDATES,
  values: unknown[] = [],
): Promise<void> {
  await scope.run(UPDATES[what], [nums, ...values])
}

export interface TagLine {
  num: number
  tags: string[]
  search_text: string
  search_grams: number[]
}

const UPDATE_TAGS = sql`update devices d set tags = v.tags, search_text = v.search_text, search_grams = v.search_grams,
    version = version + 1, updated_at = now()
  from jsonb_to_recordset($1::jsonb) as v (num int, tags text[], search_text text, search_grams int4[])
  where d.num = v.num`

export async function updateTags(scope: TenantScope, lines: TagLine[]): Promise<void> {
  await scope.run(UPDATE_TAGS, [JSON.stringify(lines)])
}

const INSERT_DEVICE_PURGES = sql`insert into device_purges (device, tenant_id) select unnest($1::int[]), $2`

const DELETE_DEVICES = sql`delete from devices where num = any ($1::int[])`

/** Deletes devices with their commands and presence, and notes that their telemetry is to follow. */
export async function deleteAll(scope: TenantScope, nums: number[]): Promise<void> {
  await scope.run(INSERT_DEVICE_PURGES, [nums, scope.tenantId])
  await scope.run(DELETE_DEVICES, [nums])
}

const TAKEN_NUMBERS = sql<{
  no: string
}>`select device_no as no from devices where product_id = $1 and device_no = any ($2::text[])`

/** Which of the numbers the product has already. */
export async function takenNumbers(scope: TenantScope, productId: string, deviceNos: string[]): Promise<Set<string>> {
  const { rows } = await scope.run(TAKEN_NUMBERS, [productId, deviceNos])
  return new Set(rows.map(row => row.no))
}

const PROPERTIES_OF = sql<{
  productId: string
  identifier: string
  type: string
}>`select o.id as "productId", p ->> 'identifier' as identifier, p -> 'dataType' ->> 'type' as type
  from products o cross join jsonb_array_elements(coalesce(published_model, draft_model) -> 'properties') p
  where o.id = any ($1::uuid[])`

/** Properties of products as devices are checked against: identifier and data type. */
export async function propertiesOf(
  scope: TenantScope,
  productIds: string[],
): Promise<{ productId: string; identifier: string; type: string }[]> {
  const { rows } = await scope.run(PROPERTIES_OF, [productIds])
  return rows
}

const PRODUCTS_OF = sql<{
  ids: string[]
  taken: number
}>`select coalesce(array_agg(distinct d.product_id) filter (where d.product_id <> $2), '{}') as ids,
    count(*) filter (where d.product_id <> $2 and exists (
      select 1 from devices o where o.product_id = $2 and o.device_no = d.device_no)) as taken
  from devices d where d.num = any ($1::int[])`

/** The products that the devices are of, and how many of their numbers another product has already. */
export async function productsOf(
  scope: TenantScope,
  nums: number[],
  target: string,
): Promise<{ productIds: string[]; taken: number }> {
  const { rows } = await scope.run(PRODUCTS_OF, [nums, target])
  return { productIds: rows[0]?.ids ?? [], taken: rows[0]?.taken ?? 0 }
}

const RENUMBERING = sql<{
  identifier: string
  from: number
  to: number
}>`select a.identifier, a.num as "from", b.num as "to" from product_properties a
  join product_properties b on b.identifier = a.identifier and b.product_num = $2 where a.product_num = $1`

/** Where the values of properties that two products have alike are kept: numbers of the old product → of the new. */
export async function renumbering(
  scope: TenantScope,
  from: number,
  to: number,
): Promise<{ identifier: string; from: number; to: number }[]> {
  const { rows } = await scope.run(RENUMBERING, [from, to])
  return rows
}
