import type { DeviceImportView, ImportTable } from '@thingwright/contracts/device-imports.contract'
import type { Attributes } from '@thingwright/contracts/devices.contract'
import type { TenantScope } from '../../../lib/database/database.ts'
import { holdable, part, sql } from '../../../lib/sql/statement.ts'
import type { DeviceLocation, Lifecycle } from '../devices.rows.ts'
import type { Problem } from './read-line.ts'

export interface ImportFileRow {
  id: string
  name: string
  tables: ImportTable[]
  objectKey: string
  createdBy: string | null
}

const INSERT_FILE = sql`insert into device_import_files (id, tenant_id, name, size, tables, object_key, created_by)
  values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertFile(scope: TenantScope, file: ImportFileRow & { size: number }): Promise<void> {
  await scope.run(INSERT_FILE, [
    file.id,
    scope.tenantId,
    file.name,
    file.size,
    JSON.stringify(file.tables),
    file.objectKey,
    file.createdBy,
  ])
}

const FIND_FILE = sql<ImportFileRow>`select id, name, tables, object_key as "objectKey", created_by as "createdBy" from device_import_files where id = $1`

export async function findFile(scope: TenantScope, id: string): Promise<ImportFileRow | undefined> {
  const { rows } = await scope.run(FIND_FILE, [id])
  return rows[0]
}

const DROP_OLD_FILES = sql<{
  key: string
  n: number
}>`delete from device_import_files where tenant_id = $1 and created_at < $2
  returning object_key as key, jsonb_array_length(tables) as n`

/** Takes old uploads out of the table; the objects of their tables are to be removed. */
export async function dropOldFiles(scope: TenantScope, before: Date): Promise<string[]> {
  const { rows } = await scope.run(DROP_OLD_FILES, [scope.tenantId, before])
  return rows.flatMap(({ key, n }) => Array.from({ length: n }, (_, at) => `${key}-${at}`))
}

export interface ImportRow extends Omit<DeviceImportView, 'createdAt' | 'secretsWaiting'> {
  createdBy: string | null
  createdAt: Date
  secretsTakenAt: Date | null
}

const IMPORT = part`id, task_id as "taskId", dry_run as "dryRun", done, created_count as created, updated_count as updated,
  skipped_count as skipped, secrets_taken_at as "secretsTakenAt", created_by as "createdBy", created_at as "createdAt"`

const INSERT_IMPORT = sql`insert into device_imports (id, tenant_id, file_id, dry_run, created_by) values ($1, $2, $3, $4, $5)`

export async function insertImport(
  scope: TenantScope,
  row: { id: string; fileId: string; dryRun: boolean; createdBy: string | null },
): Promise<void> {
  await scope.run(INSERT_IMPORT, [row.id, scope.tenantId, row.fileId, row.dryRun, row.createdBy])
}

const SET_TASK = sql`update device_imports set task_id = $2 where id = $1`

export async function setTask(scope: TenantScope, id: string, taskId: string): Promise<void> {
  await scope.run(SET_TASK, [id, taskId])
}

const FIND_IMPORT = holdable(sql<ImportRow>`select ${IMPORT} from device_imports where id = $1`, part`for update`)

export async function findImport(scope: TenantScope, id: string, lock = false): Promise<ImportRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_IMPORT.held : FIND_IMPORT.free, [id])
  return rows[0]
}

const DROP_OLD_IMPORTS = sql`delete from device_imports where tenant_id = $1 and created_at < $2`

export async function dropOldImports(scope: TenantScope, before: Date): Promise<void> {
  await scope.run(DROP_OLD_IMPORTS, [scope.tenantId, before])
}

export interface FailedLine {
  /** As the spreadsheet program counts it. */
  line: number
  problems: Problem[]
}

export interface PartResult {
  created: number[]
  updated: number
  skipped: number
  failed: FailedLine[]
}

const INSERT_DEVICE_IMPORT_PARTS = sql`insert into device_import_parts (import_id, tenant_id, line, nums, failed) values ($1, $2, $3, $4, $5)`

const UPDATE_DEVICE_IMPORTS = sql`update device_imports set done = done + $2, created_count = created_count + $3, updated_count = updated_count + $4,
  skipped_count = skipped_count + $5 where id = $1`

/** What a part came to, and that it is behind the import. */
export async function addPart(
  scope: TenantScope,
  id: string,
  line: number,
  lines: number,
  { created, updated, skipped, failed }: PartResult,
  dryRun: boolean,
): Promise<void> {
  await scope.run(INSERT_DEVICE_IMPORT_PARTS, [id, scope.tenantId, line, dryRun ? [] : created, JSON.stringify(failed)])
  await scope.run(UPDATE_DEVICE_IMPORTS, [id, lines, created.length, updated, skipped])
}

const FAILED_LINES = sql<{
  failed: FailedLine[]
}>`select failed from device_import_parts where import_id = $1 and line > $2 and jsonb_array_length(failed) > 0
  order by line limit 20`

/** Parts with failures, in order. */
export async function failedLines(scope: TenantScope, id: string, after: number): Promise<FailedLine[]> {
  const { rows } = await scope.run(FAILED_LINES, [id, after])
  return rows.flatMap(({ failed }) => failed)
}

const HAS_MADE = sql<{
  made: boolean
}>`select exists (select 1 from device_import_parts where import_id = $1 and cardinality(nums) > 0) as made`

export async function hasMade(scope: TenantScope, id: string): Promise<boolean> {
  const { rows } = await scope.run(HAS_MADE, [id])
  return rows[0]!.made
}

const TAKE_SECRETS = sql`update device_imports set secrets_taken_at = now() where id = $1`

export async function takeSecrets(scope: TenantScope, id: string): Promise<void> {
  await scope.run(TAKE_SECRETS, [id])
}

export interface MadeDevice {
  id: string
  num: number
  deviceNo: string
  name: string
  productKey: string
  productName: string
  secretCipher: Buffer
}

const MADE_DEVICES = sql<MadeDevice>`select d.id, d.num, d.device_no as "deviceNo", d.name, o.product_key as "productKey", o.name as "productName",
    d.secret_cipher as "secretCipher"
  from devices d join product_names o on o.id = d.product_id
  where d.num = any (array(select unnest(nums) from device_import_parts where import_id = $1)) and d.num > $2
  order by d.num limit $3`

/** Devices that the import made and that are still there, by number. */
export async function madeDevices(scope: TenantScope, id: string, after: number, limit: number): Promise<MadeDevice[]> {
  const { rows } = await scope.run(MADE_DEVICES, [id, after, limit])
  return rows
}

export interface ProductChoice {
  id: string
  num: number
  productKey: string
  name: string
}

const PUBLISHED_PRODUCTS = sql<ProductChoice>`select id, num, product_key as "productKey", name from products where deleted_at is null and status = 'published'`

/** Products that devices may be made of. */
export async function publishedProducts(scope: TenantScope): Promise<ProductChoice[]> {
  const { rows } = await scope.run(PUBLISHED_PRODUCTS)
  return rows
}

export interface ExistingDevice {
  id: string
  num: number
  productId: string
  deviceNo: string
  name: string
  groupId: string | null
  tags: string[]
  attributes: Attributes
  description: string
  location: DeviceLocation | null
  lifecycle: Lifecycle
  offlineDelaySeconds: number | null
}

const LOCK_BY_NUMBER = sql<ExistingDevice>`select d.id, d.num, d.product_id as "productId", d.device_no as "deviceNo", d.name, d.group_id as "groupId", d.tags, d.attributes,
    d.description, d.location, d.lifecycle, d.offline_delay_seconds as "offlineDelaySeconds"
  from devices d join unnest($1::uuid[], $2::text[]) as w (product_id, device_no)
    on d.product_id = w.product_id and d.device_no = w.device_no
  order by d.num for update of d`

/** Devices with the given numbers, locked until the transaction ends. */
export async function lockByNumber(
  scope: TenantScope,
  wanted: readonly { productId: string; deviceNo: string }[],
): Promise<ExistingDevice[]> {
  const { rows } = await scope.run(LOCK_BY_NUMBER, [
    wanted.map(({ productId }) => productId),
    wanted.map(({ deviceNo }) => deviceNo),
  ])
  return rows
}

export interface DeviceToWrite {
  id: string
  productId: string
  productNum: number
  deviceNo: string
  name: string
  groupId: string | null
  tags: string[]
  attributes: Attributes
  description: string
  location: DeviceLocation | null
  offlineDelaySeconds: number | null
  searchText: string
  searchGrams: number[]
}

export interface DeviceToMake extends DeviceToWrite {
  secretHash: Buffer
  secretCipher: Buffer
}

const RECORD = part`id uuid, "productId" uuid, "productNum" int, "deviceNo" text, name text, "groupId" uuid, tags text[],
  attributes jsonb, description text, location jsonb, "offlineDelaySeconds" int, "searchText" text, "searchGrams" int4[]`

const INSERT_DEVICES = sql<{
  id: string
  num: number
}>`insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher, group_id,
    tags, attributes, description, location, offline_delay_seconds, search_text, search_grams)
  select v.id, $2, v."productId", v."productNum", v."deviceNo", v.name, decode(v."secretHash", 'hex'),
    decode(v."secretCipher", 'hex'), v."groupId", v.tags, v.attributes, v.description, v.location, v."offlineDelaySeconds",
    v."searchText", v."searchGrams"
  from jsonb_to_recordset($1::jsonb) as v (${RECORD}, "secretHash" text, "secretCipher" text)
  on conflict (product_id, device_no) do nothing returning id, num`

/** Ids and numbers of those that could be made; the others' numbers are taken by what the caller does not see. */
export async function insertDevices(
  scope: TenantScope,
  devices: readonly DeviceToMake[],
): Promise<{ id: string; num: number }[]> {
  if (devices.length === 0) return []
  const lines = devices.map(device => ({
    ...device,
    secretHash: device.secretHash.toString('hex'),
    secretCipher: device.secretCipher.toString('hex'),
  }))
  const { rows } = await scope.run(INSERT_DEVICES, [JSON.stringify(lines), scope.tenantId])
  return rows
}

const UPDATE_DEVICES = sql`update devices d set name = v.name, group_id = v."groupId", tags = v.tags, attributes = v.attributes, description = v.description,
    location = v.location, offline_delay_seconds = v."offlineDelaySeconds", search_text = v."searchText",
    search_grams = v."searchGrams", version = version + 1, updated_at = now()
  from jsonb_to_recordset($1::jsonb) as v (${RECORD}) where d.id = v.id`

export async function updateDevices(scope: TenantScope, devices: readonly DeviceToWrite[]): Promise<void> {
  if (devices.length === 0) return
  await scope.run(UPDATE_DEVICES, [JSON.stringify(devices)])
}

const TIME_ZONE = sql<{ zone: string }>`select time_zone as zone from tenants where id = $1`

export async function timeZone(scope: TenantScope): Promise<string> {
  const { rows } = await scope.run(TIME_ZONE, [scope.tenantId])
  return rows[0]?.zone ?? 'UTC'
}

export interface HistoryDevice {
  num: number
  deviceNo: string
  productId: string
}

const DEVICES_BY_NUMBER = sql<HistoryDevice>`select num, device_no as "deviceNo", product_id as "productId" from devices
  where tenant_id = $1 and device_no = any ($2::text[]) and recycled_at is null`

/** Devices outside the recycle bin by number; several products may have the same one. */
export async function devicesByNumber(scope: TenantScope, deviceNos: readonly string[]): Promise<HistoryDevice[]> {
  const { rows } = await scope.run(DEVICES_BY_NUMBER, [scope.tenantId, deviceNos])
  return rows
}

const MODEL_OF = sql<{
  model: unknown
  numbers: Record<string, number>
}>`select coalesce(published_model, draft_model) as model,
    (select coalesce(jsonb_object_agg(n.identifier, n.num), '{}') from product_properties n where n.product_num = o.num) as numbers
  from products o where id = $1`

/** The model that devices of a product are checked against, with the numbers under which values are kept. */
export async function modelOf(
  scope: TenantScope,
  productId: string,
): Promise<{ model: unknown; numbers: Record<string, number> } | undefined> {
  const { rows } = await scope.run(MODEL_OF, [productId])
  return rows[0]
}
