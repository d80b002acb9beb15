import type { FirmwareState } from '@thingwright/contracts/firmware-schemas'
import type { Query } from './jobs.rows.ts'

export interface PackageRow {
  id: string
  productId: string
  productName: string
  productKey: string
  name: string
  module: string
  kind: 'full' | 'delta'
  version: string
  fromVersion: string | null
  orderNo: number
  fileName: string
  objectKey: string
  size: number
  sha256: Buffer
  signature: Buffer | null
  keyId: string | null
  keyName: string | null
  notes: string
  ext: Record<string, string>
  state: FirmwareState
  stateNote: string
  createdBy: string
  revision: number
  createdAt: Date
  updatedAt: Date
  /** Of lists: where the row stands. */
  place: string
}

export type NewPackage = Pick<
  PackageRow,
  | 'id'
  | 'productId'
  | 'name'
  | 'module'
  | 'kind'
  | 'version'
  | 'fromVersion'
  | 'orderNo'
  | 'fileName'
  | 'objectKey'
  | 'size'
  | 'sha256'
  | 'signature'
  | 'keyId'
  | 'notes'
  | 'ext'
> & { createdById: string | null; createdBy: string; createdAt: number }

const COLUMNS = `f.id, f.product_id as "productId", p.name as "productName", p.product_key as "productKey", f.name, f.module, f.kind,
  f.version, f.from_version as "fromVersion", f.order_no as "orderNo", f.file_name as "fileName", f.object_key as "objectKey",
  f.size, f.sha256, f.signature, f.key_id as "keyId", k.name as "keyName", f.notes, f.ext, f.state, f.state_note as "stateNote",
  f.created_by_name as "createdBy", f.version_no as revision, f.created_at as "createdAt", f.updated_at as "updatedAt"`
const FROM = 'firmware_packages f join products p on p.id = f.product_id left join firmware_keys k on k.id = f.key_id'

export const PACKAGE_SORTS = ['createdAt', 'orderNo'] as const
const SORTED = { createdAt: 'f.created_at', orderNo: 'f.order_no' } as const

export interface PackageFilter {
  productId?: string
  module?: string
  kind?: string
  state?: string
  q?: string
}

function conditionsOf(filter: PackageFilter, params: unknown[]): string {
  const conditions = ['true']
  if (filter.productId) conditions.push(`f.product_id = $${params.push(filter.productId)}`)
  if (filter.module) conditions.push(`f.module = $${params.push(filter.module)}`)
  if (filter.kind) conditions.push(`f.kind = $${params.push(filter.kind)}`)
  if (filter.state) conditions.push(`f.state = $${params.push(filter.state)}`)
  if (filter.q) {
    const pattern = `$${params.push(`%${filter.q.replaceAll(/[\\%_]/g, '\\$&')}%`)}`
    conditions.push(`(f.name ilike ${pattern} or f.version ilike ${pattern} or f.file_name ilike ${pattern})`)
  }
  return conditions.join(' and ')
}

export async function listPackages(
  scope: Query,
  filter: PackageFilter,
  sort: { key: (typeof PACKAGE_SORTS)[number]; descending: boolean },
  after: readonly [string, string] | null,
  limit: number,
): Promise<PackageRow[]> {
  const params: unknown[] = [limit]
  const column = SORTED[sort.key]
  const cast = sort.key === 'createdAt' ? 'timestamptz' : 'int'
  let where = conditionsOf(filter, params)
  if (after)
    where += ` and (${column}, f.id) ${sort.descending ? '<' : '>'} ($${params.push(after[0])}::${cast}, $${params.push(after[1])}::uuid)`
  const order = sort.descending ? 'desc' : 'asc'
  const { rows } = await scope.query<PackageRow>(
    `select ${COLUMNS}, ${column}::text as place from ${FROM} where ${where} order by ${column} ${order}, f.id ${order} limit $1`,
    params,
  )
  return rows
}

export async function countPackages(scope: Query, filter: PackageFilter): Promise<number> {
  const params: unknown[] = []
  const where = conditionsOf(filter, params)
  const { rows } = await scope.query<{ n: number }>(
    `select count(*)::int as n from firmware_packages f where ${where}`,
    params,
  )
  return rows[0]!.n
}

/** @param lock until the end of the transaction, against other changes of the package */
export async function findPackage(scope: Query, id: string, lock = false): Promise<PackageRow | null> {
  const { rows } = await scope.query<PackageRow>(
    `select ${COLUMNS} from ${FROM} where f.id = $1 ${lock ? 'for update of f' : ''}`,
    [id],
  )
  return rows[0] ?? null
}

/** Every package of a module, whatever its state. */
export async function packagesOfModule(scope: Query, productId: string, module: string): Promise<PackageRow[]> {
  const { rows } = await scope.query<PackageRow>(
    `select ${COLUMNS} from ${FROM} where f.product_id = $1 and f.module = $2 order by f.order_no, f.id`,
    [productId, module],
  )
  return rows
}

/** What a device could be brought from and to: every package of the module that is not disabled or found bad. */
export async function usablePackages(scope: Query, productId: string, module: string): Promise<PackageRow[]> {
  const { rows } = await scope.query<PackageRow>(
    `select ${COLUMNS} from ${FROM} where f.product_id = $1 and f.module = $2
       and f.state not in ('disabled', 'verification_failed') order by f.order_no, f.id`,
    [productId, module],
  )
  return rows
}

export async function insertPackage(scope: Query & { tenantId: string }, row: NewPackage): Promise<void> {
  await scope.query(
    `insert into firmware_packages (id, tenant_id, product_id, name, module, kind, version, from_version, order_no, file_name,
       object_key, size, sha256, signature, key_id, notes, ext, created_by, created_by_name, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
       to_timestamp($20::float8 / 1000), to_timestamp($20::float8 / 1000))`,
    [
      row.id,
      scope.tenantId,
      row.productId,
      row.name,
      row.module,
      row.kind,
      row.version,
      row.fromVersion,
      row.orderNo,
      row.fileName,
      row.objectKey,
      row.size,
      row.sha256,
      row.signature,
      row.keyId,
      row.notes,
      JSON.stringify(row.ext),
      row.createdById,
      row.createdBy,
      row.createdAt,
    ],
  )
}

export async function updatePackage(
  scope: Query,
  id: string,
  change: Pick<PackageRow, 'name' | 'notes' | 'ext' | 'state' | 'stateNote'>,
): Promise<void> {
  await scope.query(
    `update firmware_packages set name = $2, notes = $3, ext = $4, state = $5, state_note = $6, version_no = version_no + 1,
       updated_at = now() where id = $1`,
    [id, change.name, change.notes, JSON.stringify(change.ext), change.state, change.stateNote],
  )
}

export async function deletePackage(scope: Query, id: string): Promise<void> {
  await scope.query('delete from firmware_packages where id = $1', [id])
}

/** Campaigns, and devices that report the version, of packages. */
export async function usesOf(
  scope: Query,
  ids: readonly string[],
): Promise<Map<string, { campaigns: number; devices: number; jobs: number }>> {
  const { rows } = await scope.query<{ id: string; campaigns: number; devices: number; jobs: number }>(
    `select f.id, (select count(*)::int from ota_campaigns c where c.package_id = f.id) as campaigns,
       (select count(*)::int from ota_jobs j where j.package_id = f.id) as jobs,
       (select count(*)::int from device_firmware v join devices d on d.num = v.device
        where v.tenant_id = f.tenant_id and v.module = f.module and v.version = f.version and d.product_id = f.product_id
          and d.recycled_at is null) as devices
     from firmware_packages f where f.id = any ($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map(({ id, ...uses }) => [id, uses]))
}

/** The package that has a version or an order number already; another one of the same version shares its number. */
export async function clashOf(
  scope: Query,
  wanted: Pick<NewPackage, 'productId' | 'module' | 'version' | 'fromVersion' | 'orderNo'>,
): Promise<{ version: string; sameVersion: boolean; orderNo: number; fromVersion: string | null } | null> {
  const { rows } = await scope.query<{
    version: string
    sameVersion: boolean
    orderNo: number
    fromVersion: string | null
  }>(
    `select version, version = $3 and from_version is not distinct from $4 as "sameVersion", order_no as "orderNo", from_version as "fromVersion"
     from firmware_packages where product_id = $1 and module = $2
       and ((version = $3 and (from_version is not distinct from $4 or order_no <> $5)) or (version <> $3 and order_no = $5))
     order by 2 desc limit 1`,
    [wanted.productId, wanted.module, wanted.version, wanted.fromVersion, wanted.orderNo],
  )
  return rows[0] ?? null
}

export async function countAll(scope: Query): Promise<number> {
  const { rows } = await scope.query<{ n: number }>('select count(*)::int as n from firmware_packages')
  return rows[0]!.n
}

// ── objects that belong to nothing ──

export async function noteLeftover(scope: Query & { tenantId: string }, key: string): Promise<void> {
  await scope.query('insert into firmware_leftovers (object_key, tenant_id) values ($1, $2) on conflict do nothing', [
    key,
    scope.tenantId,
  ])
}

export async function forgetLeftover(scope: Query, key: string): Promise<void> {
  await scope.query('delete from firmware_leftovers where object_key = $1', [key])
}

export async function isLeftover(scope: Query, key: string): Promise<boolean> {
  const { rowCount } = await scope.query(
    `select 1 from firmware_leftovers where object_key = $1
       and not exists (select 1 from firmware_packages where object_key = $1)`,
    [key],
  )
  return rowCount === 1
}

export async function leftoversBefore(scope: Query, before: Date): Promise<string[]> {
  const { rows } = await scope.query<{ key: string }>(
    'select object_key as key from firmware_leftovers where since < $1 order by since limit 500',
    [before],
  )
  return rows.map(row => row.key)
}
