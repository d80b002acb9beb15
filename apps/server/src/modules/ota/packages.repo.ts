import type { FirmwareState } from '@thingwright/contracts/firmware-schemas'
import { containing, type ListPosition, listSql } from '../../lib/sql/list.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
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

const COLUMNS = part`f.id, f.product_id as "productId", p.name as "productName", p.product_key as "productKey", f.name, f.module, f.kind,
  f.version, f.from_version as "fromVersion", f.order_no as "orderNo", f.file_name as "fileName", f.object_key as "objectKey",
  f.size, f.sha256, f.signature, f.key_id as "keyId", k.name as "keyName", f.notes, f.ext, f.state, f.state_note as "stateNote",
  f.created_by_name as "createdBy", f.version_no as revision, f.created_at as "createdAt", f.updated_at as "updatedAt"`
const FROM = part`firmware_packages f join products p on p.id = f.product_id left join firmware_keys k on k.id = f.key_id`

export const PACKAGE_SORTS = ['createdAt', 'orderNo'] as const

export interface PackageFilter {
  productId?: string
  module?: string
  kind?: string
  state?: string
  /** Part of a name, a version or a file's name. */
  q?: string
}

const LIST = listSql<PackageRow, PackageFilter, (typeof PACKAGE_SORTS)[number]>({
  columns: COLUMNS,
  from: FROM,
  countFrom: part`firmware_packages f`,
  filters: {
    productId: part`f.product_id = $1`,
    module: part`f.module = $1`,
    kind: part`f.kind = $1`,
    state: part`f.state = $1`,
    q: part`(f.name ilike $1 or f.version ilike $1 or f.file_name ilike $1)`,
  },
  sorts: { createdAt: { by: part`f.created_at`, type: 'timestamptz' }, orderNo: { by: part`f.order_no`, type: 'int' } },
  id: { by: part`f.id`, type: 'uuid' },
})

const searched = ({ q, ...filter }: PackageFilter): PackageFilter => ({ ...filter, ...(q ? { q: containing(q) } : {}) })

export async function listPackages(
  scope: Query,
  filter: PackageFilter,
  sort: { key: (typeof PACKAGE_SORTS)[number]; descending: boolean },
  after: ListPosition | null,
  limit: number,
): Promise<(PackageRow & { position: string })[]> {
  return (await scope.run(...LIST.page({ filter: searched(filter), sort, after, limit }))).rows
}

export async function countPackages(scope: Query, filter: PackageFilter): Promise<number> {
  return (await scope.run(...LIST.count(searched(filter)))).rows[0]!.n
}

const FIND_PACKAGE = holdable(sql<PackageRow>`select ${COLUMNS} from ${FROM} where f.id = $1`, part`for update of f`)

/** @param lock until the end of the transaction, against other changes of the package */
export async function findPackage(scope: Query, id: string, lock = false): Promise<PackageRow | null> {
  const { rows } = await scope.run(lock ? FIND_PACKAGE.held : FIND_PACKAGE.free, [id])
  return rows[0] ?? null
}

const PACKAGES_OF_MODULE = sql<PackageRow>`select ${COLUMNS} from ${FROM} where f.product_id = $1 and f.module = $2 order by f.order_no, f.id`

/** Every package of a module, whatever its state. */
export async function packagesOfModule(scope: Query, productId: string, module: string): Promise<PackageRow[]> {
  const { rows } = await scope.run(PACKAGES_OF_MODULE, [productId, module])
  return rows
}

const USABLE_PACKAGES = sql<PackageRow>`select ${COLUMNS} from ${FROM} where f.product_id = $1 and f.module = $2
  and f.state not in ('disabled', 'verification_failed') order by f.order_no, f.id`

/** What a device could be brought from and to: every package of the module that is not disabled or found bad. */
export async function usablePackages(scope: Query, productId: string, module: string): Promise<PackageRow[]> {
  const { rows } = await scope.run(USABLE_PACKAGES, [productId, module])
  return rows
}

const INSERT_PACKAGE = sql`insert into firmware_packages (id, tenant_id, product_id, name, module, kind, version, from_version, order_no, file_name,
    object_key, size, sha256, signature, key_id, notes, ext, created_by, created_by_name, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
    to_timestamp($20::float8 / 1000), to_timestamp($20::float8 / 1000))`

export async function insertPackage(scope: Query & { tenantId: string }, row: NewPackage): Promise<void> {
  await scope.run(INSERT_PACKAGE, [
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
  ])
}

const UPDATE_PACKAGE = sql`update firmware_packages set name = $2, notes = $3, ext = $4, state = $5, state_note = $6, version_no = version_no + 1,
  updated_at = now() where id = $1`

export async function updatePackage(
  scope: Query,
  id: string,
  change: Pick<PackageRow, 'name' | 'notes' | 'ext' | 'state' | 'stateNote'>,
): Promise<void> {
  await scope.run(UPDATE_PACKAGE, [
    id,
    change.name,
    change.notes,
    JSON.stringify(change.ext),
    change.state,
    change.stateNote,
  ])
}

const DELETE_PACKAGE = sql`delete from firmware_packages where id = $1`

export async function deletePackage(scope: Query, id: string): Promise<void> {
  await scope.run(DELETE_PACKAGE, [id])
}

const USES_OF = sql<{
  id: string
  campaigns: number
  devices: number
  jobs: number
}>`select f.id, (select count(*)::int from ota_campaigns c where c.package_id = f.id) as campaigns,
    (select count(*)::int from ota_jobs j where j.package_id = f.id) as jobs,
    (select count(*)::int from device_firmware v join devices d on d.num = v.device
     where v.tenant_id = f.tenant_id and v.module = f.module and firmware_version_key(v.version) = firmware_version_key(f.version)
       and d.product_id = f.product_id
       and d.recycled_at is null) as devices
  from firmware_packages f where f.id = any ($1::uuid[])`

/** Campaigns, and devices that report the version, of packages. */
export async function usesOf(
  scope: Query,
  ids: readonly string[],
): Promise<Map<string, { campaigns: number; devices: number; jobs: number }>> {
  const { rows } = await scope.run(USES_OF, [ids])
  return new Map(rows.map(({ id, ...uses }) => [id, uses]))
}

const IS_VERSION = part`firmware_version_key(version) = firmware_version_key($3)`
const IS_FROM = part`firmware_version_key(from_version) is not distinct from firmware_version_key($4)`

const CLASH_OF = sql<{
  version: string
  sameVersion: boolean
  orderNo: number
  fromVersion: string | null
}>`select version, ${IS_VERSION} and ${IS_FROM} as "sameVersion", order_no as "orderNo", from_version as "fromVersion"
  from firmware_packages where product_id = $1 and module = $2
    and ((${IS_VERSION} and (${IS_FROM} or order_no <> $5)) or (not ${IS_VERSION} and order_no = $5))
  order by 2 desc limit 1`

/** The package that has a version or an order number already; another one of the same version shares its number. */
export async function clashOf(
  scope: Query,
  wanted: Pick<NewPackage, 'productId' | 'module' | 'version' | 'fromVersion' | 'orderNo'>,
): Promise<{ version: string; sameVersion: boolean; orderNo: number; fromVersion: string | null } | null> {
  const { rows } = await scope.run(CLASH_OF, [
    wanted.productId,
    wanted.module,
    wanted.version,
    wanted.fromVersion,
    wanted.orderNo,
  ])
  return rows[0] ?? null
}

const COUNT_ALL = sql<{ n: number }>`select count(*)::int as n from firmware_packages`

export async function countAll(scope: Query): Promise<number> {
  const { rows } = await scope.run(COUNT_ALL)
  return rows[0]!.n
}

const NOTE_LEFTOVER = sql`insert into firmware_leftovers (object_key, tenant_id) values ($1, $2) on conflict do nothing`

// ── objects that belong to nothing ──

export async function noteLeftover(scope: Query & { tenantId: string }, key: string): Promise<void> {
  await scope.run(NOTE_LEFTOVER, [key, scope.tenantId])
}

const FORGET_LEFTOVER = sql`delete from firmware_leftovers where object_key = $1`

export async function forgetLeftover(scope: Query, key: string): Promise<void> {
  await scope.run(FORGET_LEFTOVER, [key])
}

const IS_LEFTOVER = sql`select 1 from firmware_leftovers where object_key = $1
  and not exists (select 1 from firmware_packages where object_key = $1)`

export async function isLeftover(scope: Query, key: string): Promise<boolean> {
  const { rowCount } = await scope.run(IS_LEFTOVER, [key])
  return rowCount === 1
}

const LEFTOVERS_BEFORE = sql<{
  key: string
}>`select object_key as key from firmware_leftovers where since < $1 order by since limit 500`

export async function leftoversBefore(scope: Query, before: Date): Promise<string[]> {
  const { rows } = await scope.run(LEFTOVERS_BEFORE, [before])
  return rows.map(row => row.key)
}
