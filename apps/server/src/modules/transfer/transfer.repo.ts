import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { sql } from '../../lib/sql/statement.ts'
import { SETTINGS } from './product-settings.repo.ts'
import type { DeviceLine, GroupLine, MaterialLine, MemberLine, ProductLine, RoleLine, SettingsLine } from './rows.ts'

/**
 * The company's configuration as it goes into the file, and out of it again. Read under the company's own policies; it is
 * the one place that knows the columns of other modules' tables, because a file must hold all of them together.
 */
const PAGE = 500

const ONE_AT_A_TIME = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** Until the transaction ends no other import writes into the company: what both bring in is made once and found once. */
export async function oneAtATime(scope: TenantScope): Promise<void> {
  await scope.run(ONE_AT_A_TIME, [`company-import:${scope.tenantId}`])
}

const READ_GROUPS = sql<GroupLine>`with recursive tree as (
    select id, kind, parent_id, name, position, 1 as level from groups where parent_id is null
    union all select g.id, g.kind, g.parent_id, g.name, g.position, t.level + 1 from groups g join tree t on g.parent_id = t.id)
  select id, kind, parent_id as "parentId", name, position from tree order by level, kind, position, id`

export async function readGroups(scope: TenantScope): Promise<GroupLine[]> {
  const { rows } = await scope.run(READ_GROUPS)
  return rows
}

const READ_ROLES = sql<RoleLine>`select name, ename, description, permissions, menu_keys as "menuKeys", data_scope as "dataScope"
  from roles where not builtin order by created_at, id`

export async function readRoles(scope: TenantScope): Promise<RoleLine[]> {
  const { rows } = await scope.run(READ_ROLES)
  return rows
}

const READ_PRODUCTS = sql<ProductLine>`select id, product_key as "productKey", name, description, category, icon, link_type as "linkType",
  node_type as "nodeType", status, draft_model as "draftModel", published_model as "publishedModel",
  model_version as "modelVersion", format, offline_delay_seconds as "offlineDelaySeconds", group_id as "groupId", ${SETTINGS} as settings
  from products where deleted_at is null order by created_at, id`

export async function readProducts(scope: TenantScope): Promise<ProductLine[]> {
  return (await scope.run(READ_PRODUCTS)).rows
}

export interface StoredDevice extends Omit<DeviceLine, 'secret' | 'subAddress'> {
  subAddress: string | null
  id: string
  num: number
  productKey: string
  secretCipher: Buffer
}

const READ_DEVICES = sql<StoredDevice>`select d.id, d.num, d.product_id as "productId", p.product_key as "productKey", d.device_no as "deviceNo", d.name,
    d.lifecycle, d.group_id as "groupId", d.tags, d.attributes, d.description, d.location,
    d.offline_delay_seconds as "offlineDelaySeconds", d.secret_cipher as "secretCipher",
    nullif(d.overrides, '{}') as overrides, nullif(d.access, '{}') as access, d.sub_address as "subAddress",
    case when g.id is not null then jsonb_build_object('productId', g.product_id, 'deviceNo', g.device_no) end as gateway
  from devices d join products p on p.id = d.product_id
  left join devices g on g.num = d.gateway and g.recycled_at is null
  where d.recycled_at is null and d.num > $1 order by d.num limit $2`

/** Devices outside the recycle bin, in pages. */
export async function readDevices(scope: TenantScope, after: number): Promise<StoredDevice[]> {
  const { rows } = await scope.run(READ_DEVICES, [after, PAGE])
  return rows
}

const READ_MEMBERS = sql<MemberLine>`select l.username, l.display_name as "displayName", l.phone, l.email,
    array(select r.name from login_roles lr join roles r on r.id = lr.role_id where lr.login_id = l.id order by r.name) as roles
  from logins l where l.kind = 'member' and l.state <> 'left' order by l.created_at, l.id`

export async function readMembers(scope: TenantScope): Promise<MemberLine[]> {
  const { rows } = await scope.run(READ_MEMBERS)
  return rows
}

const READ_SETTINGS = sql<SettingsLine>`select time_zone as "timeZone", contact_name as "contactName", contact_phone as "contactPhone",
    contact_email as "contactEmail", industry, region, branding, coalesce(settings -> 'retention', '{}') as retention
  from tenants where id = $1`

export async function readSettings(scope: TenantScope): Promise<SettingsLine> {
  const { rows } = await scope.run(READ_SETTINGS, [scope.tenantId])
  return rows[0]!
}

export interface StoredMaterial extends MaterialLine {
  objectKey: string
}

const READ_MATERIALS = sql<StoredMaterial>`with recursive path as (
    select id, array[name] as names from media_folders where parent_id is null and owner_id is null
    union all select f.id, p.names || f.name from media_folders f join path p on f.parent_id = p.id)
  select m.id, m.public, m.name, m.content_type as "contentType", encode(m.sha256, 'hex') as sha256, m.size::float8 as size, m.tags,
    coalesce(p.names, '{}') as folder, b.object_key as "objectKey"
  from media m join media_blobs b on b.tenant_id = m.tenant_id and b.sha256 = m.sha256
  left join path p on p.id = m.folder_id where m.owner_id is null order by m.created_at, m.id`

/** Materials of the company; those of end users are left out, because end users are not in the file. */
export async function readMaterials(scope: TenantScope): Promise<StoredMaterial[]> {
  const { rows } = await scope.run(READ_MATERIALS)
  return rows
}

const FIND_GROUP = sql<{
  id: string
}>`select id from groups where kind = $1 and parent_id is not distinct from $2::uuid and name = $3`

// ───────────── into a company ─────────────

export async function findGroup(
  scope: TenantScope,
  group: { kind: string; parentId: string | null; name: string },
): Promise<string | undefined> {
  const { rows } = await scope.run(FIND_GROUP, [group.kind, group.parentId, group.name])
  return rows[0]?.id
}

const INSERT_GROUP = sql`insert into groups (id, tenant_id, kind, parent_id, name, position) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing`

/** False when somebody has made one of that name at this moment. */
export async function insertGroup(scope: TenantScope, id: string, group: Omit<GroupLine, 'id'>): Promise<boolean> {
  const { rowCount } = await scope.run(INSERT_GROUP, [
    id,
    scope.tenantId,
    group.kind,
    group.parentId,
    group.name,
    group.position,
  ])
  return rowCount === 1
}

const FIND_PRODUCT = sql<{
  id: string
  num: number
  productKey: string
}>`select id, num, product_key as "productKey" from products where deleted_at is null and (product_key = $1 or name = $2)
  order by product_key = $1 desc, created_at limit 1`

/** The company's own product of this key or, with another key, of this name. */
export async function findProduct(
  scope: TenantScope,
  product: { productKey: string; name: string },
): Promise<{ id: string; num: number; productKey: string } | undefined> {
  const { rows } = await scope.run(FIND_PRODUCT, [product.productKey, product.name])
  return rows[0]
}

const INSERT_PRODUCT = sql<{
  num: number
}>`insert into products (id, tenant_id, product_key, name, description, category, icon, link_type, node_type, status,
    draft_model, published_model, model_version, format, offline_delay_seconds, group_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  on conflict (product_key) do nothing returning num`

/** False when the key belongs to somebody else. */
export async function insertProduct(
  scope: TenantScope,
  id: string,
  product: Omit<ProductLine, 'id'>,
): Promise<{ num: number } | undefined> {
  const { rows } = await scope.run(INSERT_PRODUCT, [
    id,
    scope.tenantId,
    product.productKey,
    product.name,
    product.description,
    product.category,
    product.icon,
    product.linkType,
    product.nodeType,
    product.status,
    JSON.stringify(product.draftModel),
    product.publishedModel === null ? null : JSON.stringify(product.publishedModel),
    product.modelVersion,
    JSON.stringify(product.format),
    product.offlineDelaySeconds,
    product.groupId,
  ])
  return rows[0]
}

const REPLACE_PRODUCT = sql`update products set name = $2, description = $3, category = $4, icon = $5, status = $6, draft_model = $7,
  published_model = $8,
  model_version = case when published_model is distinct from $8 then model_version + 1 else model_version end,
  format = $9, offline_delay_seconds = $10, group_id = $11, version = version + 1, updated_at = now() where id = $1`

/** False when the caller may see the product and not change it. */
export async function replaceProduct(
  scope: TenantScope,
  id: string,
  product: Omit<ProductLine, 'id'>,
): Promise<boolean> {
  const { rowCount } = await scope.run(REPLACE_PRODUCT, [
    id,
    product.name,
    product.description,
    product.category,
    product.icon,
    product.status,
    JSON.stringify(product.draftModel),
    product.publishedModel === null ? null : JSON.stringify(product.publishedModel),
    JSON.stringify(product.format),
    product.offlineDelaySeconds,
    product.groupId,
  ])
  return rowCount === 1
}

const NUMBER_PROPERTIES = sql`select ensure_product_properties($1, $2)`

export async function numberProperties(scope: TenantScope, id: string, identifiers: string[]): Promise<void> {
  await scope.run(NUMBER_PROPERTIES, [id, identifiers])
}

const FIND_DEVICE = sql<{
  id: string
  num: number
  recycled: boolean
}>`select id, num, recycled_at is not null as recycled from devices where product_id = $1 and device_no = $2`

export async function findDevice(
  scope: TenantScope,
  productId: string,
  deviceNo: string,
): Promise<{ id: string; num: number; recycled: boolean } | undefined> {
  const { rows } = await scope.run(FIND_DEVICE, [productId, deviceNo])
  return rows[0]
}

export interface NewDevice extends Omit<DeviceLine, 'secret' | 'productId'> {
  id: string
  productId: string
  productNum: number
  secretHash: Buffer
  secretCipher: Buffer
  searchText: string
  searchGrams: number[]
}

const INSERT_DEVICE = sql`insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, secret_hash, secret_cipher,
    group_id, tags, description, location, offline_delay_seconds, search_text, search_grams, attributes, activated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, case when $7 = 'active' then now() end)`

export async function insertDevice(scope: TenantScope, device: NewDevice): Promise<void> {
  await scope.run(INSERT_DEVICE, [
    device.id,
    scope.tenantId,
    device.productId,
    device.productNum,
    device.deviceNo,
    device.name,
    device.lifecycle,
    device.secretHash,
    device.secretCipher,
    device.groupId,
    device.tags,
    device.description,
    device.location === null ? null : JSON.stringify(device.location),
    device.offlineDelaySeconds,
    device.searchText,
    device.searchGrams,
    JSON.stringify(device.attributes ?? []),
  ])
}

const REPLACE_DEVICE = sql`update devices set name = $2, group_id = $3, tags = $4, description = $5, location = $6, offline_delay_seconds = $7,
  search_text = $8, search_grams = $9, attributes = coalesce($10, attributes), version = version + 1, updated_at = now() where id = $1`

/** What a person would change of a device; its secret and its life are its own. */
export async function replaceDevice(scope: TenantScope, id: string, device: Omit<NewDevice, 'id'>): Promise<void> {
  await scope.run(REPLACE_DEVICE, [
    id,
    device.name,
    device.groupId,
    device.tags,
    device.description,
    device.location === null ? null : JSON.stringify(device.location),
    device.offlineDelaySeconds,
    device.searchText,
    device.searchGrams,
    device.attributes ? JSON.stringify(device.attributes) : null,
  ])
}

const FIND_MATERIAL = sql<{ id: string }>`select id from media
  where name = $1 and sha256 = $2 and owner_id is null and (public or not $3::boolean) order by created_at, id limit 1`

/** The same material, where it is here already. One that is not public is not the same as one that is. */
export async function findMaterial(
  scope: TenantScope,
  { name, sha256, public: isPublic = false }: MaterialLine,
): Promise<string | undefined> {
  return (await scope.run(FIND_MATERIAL, [name, Buffer.from(sha256, 'hex'), isPublic])).rows[0]?.id
}

const SELECT_MEDIA_FOLDERS = sql<{
  id: string
}>`select id from media_folders where parent_id is not distinct from $1::uuid and name = $2 and owner_id is null`

const INSERT_MEDIA_FOLDERS = sql`insert into media_folders (id, tenant_id, parent_id, name) values ($1, $2, $3, $4)`

/** The folder of this path, made where it is missing. */
export async function ensureFolder(
  scope: TenantScope,
  path: readonly string[],
  onMade: (folder: { id: string; name: string }) => void,
): Promise<string | null> {
  let parent: string | null = null
  for (const name of path) {
    const found: { rows: { id: string }[] } = await scope.run(SELECT_MEDIA_FOLDERS, [parent, name])
    const id: string = found.rows[0]?.id ?? newId()
    if (!found.rows[0]) {
      await scope.run(INSERT_MEDIA_FOLDERS, [id, scope.tenantId, parent, name])
      onMade({ id, name })
    }
    parent = id
  }
  return parent
}

const INSERT_IMPORT_FILE = sql`insert into company_files (id, tenant_id, purpose, name, content_type, size, sha256, object_key, created_by)
  values ($1, $2, 'import', $3, 'application/zip', $4, $5, $6, $7)`

// ───────────── uploaded files ─────────────

export async function insertImportFile(
  scope: TenantScope,
  file: { id: string; name: string; size: number; sha256: Buffer; objectKey: string; createdBy: string | null },
): Promise<void> {
  await scope.run(INSERT_IMPORT_FILE, [
    file.id,
    scope.tenantId,
    file.name,
    file.size,
    file.sha256,
    file.objectKey,
    file.createdBy,
  ])
}

const FIND_IMPORT_FILE = sql<{
  objectKey: string
  name: string
}>`select object_key as "objectKey", name from company_files where id = $1 and purpose = 'import'`

export async function findImportFile(
  scope: TenantScope,
  id: string,
): Promise<{ objectKey: string; name: string } | undefined> {
  const { rows } = await scope.run(FIND_IMPORT_FILE, [id])
  return rows[0]
}

const DROP_IMPORT_FILES = sql<{
  objectKey: string
}>`delete from company_files where purpose = 'import' and created_at < $1 returning object_key as "objectKey"`

/** Takes old uploads of the company out of the table; their objects are to be removed. */
export async function dropImportFiles(scope: TenantScope, before: Date): Promise<string[]> {
  const { rows } = await scope.run(DROP_IMPORT_FILES, [before])
  return rows.map(row => row.objectKey)
}

const MARK_ENTRY = sql`savepoint further`
const KEEP_ENTRY = sql`release savepoint further`
const UNDO_ENTRY = sql`rollback to savepoint further`

/** Begins an entry that is kept or undone by itself. */
export const markEntry = (scope: TenantScope) => scope.run(MARK_ENTRY)
export const keepEntry = (scope: TenantScope) => scope.run(KEEP_ENTRY)
export const undoEntry = (scope: TenantScope) => scope.run(UNDO_ENTRY)
