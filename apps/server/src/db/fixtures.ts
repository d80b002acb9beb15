import { createHash, randomBytes } from 'node:crypto'
import { parseModel, type ThingModel } from '@thingwright/thing-model'
import type pg from 'pg'
import { newId, randomKey } from '../lib/ids.ts'
import { searchIndexOf } from '../lib/lists/search.ts'

/** Anything that runs SQL past the policies: the superuser's pool. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(sql: string, params?: unknown[]): Promise<pg.QueryResult<R>>
}

export interface TenantFixture {
  id: string
  appId: string
}

export interface ProductFixture {
  id: string
  num: number
  tenantId: string
  productKey: string
  model: ThingModel
  /** Number of each property: the key of telemetry. */
  properties: Record<string, number>
}

export interface DeviceFixture {
  id: string
  num: number
  tenantId: string
  product: ProductFixture
  deviceNo: string
  /** In the clear; the database has its SHA-256 only, and random bytes in place of the sealed secret. */
  secret: string
}

const property = (identifier: string, dataType: object, access = 'r') => ({
  identifier,
  name: identifier,
  dataType,
  access,
})

/** What a fixture product has unless the test says otherwise. */
export const FIXTURE_MODEL = {
  properties: [
    property('temperature', { type: 'double' }),
    property('count', { type: 'int32' }),
    property('switch', { type: 'bool' }, 'rw'),
    property('note', { type: 'string' }, 'rw'),
  ],
  events: [{ identifier: 'overheat', name: 'overheat', level: 'warning', params: [] }],
  services: [{ identifier: 'restart', name: 'restart', input: [], output: [] }],
}

export async function insertTenant(
  db: Queryable,
  over: { name?: string; kind?: 'platform' | 'company'; status?: string } = {},
): Promise<TenantFixture> {
  const tenant = { id: newId(), appId: randomKey(12) }
  const name = over.name ?? `Tenant ${tenant.appId}`
  await db.query('insert into tenants (id, app_id, name, kind, status) values ($1, $2, $3, $4, $5)', [
    tenant.id,
    tenant.appId,
    name,
    over.kind ?? 'company',
    over.status ?? 'active',
  ])
  return tenant
}

/** A published product (unless `published: false`) with its properties numbered; strict unless told otherwise. */
export async function insertProduct(
  db: Queryable,
  tenant: Pick<TenantFixture, 'id'>,
  over: {
    name?: string
    linkType?: string
    model?: object
    productKey?: string
    published?: boolean
    unknownKeys?: string
    badValues?: string
  } = {},
): Promise<ProductFixture> {
  const parsed = parseModel(over.model ?? FIXTURE_MODEL)
  if (!parsed.ok) throw new Error(`the fixture's thing model is wrong: ${JSON.stringify(parsed.problems)}`)
  const { model } = parsed
  const id = newId()
  const productKey = over.productKey ?? randomKey(12)
  const published = over.published ?? true
  const { rows } = await db.query<{ num: number }>(
    `insert into products (id, tenant_id, product_key, name, link_type, status, draft_model, published_model, model_version, unknown_keys, bad_values)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning num`,
    [
      id,
      tenant.id,
      productKey,
      over.name ?? `Product ${productKey}`,
      over.linkType ?? 'mqtt',
      published ? 'published' : 'draft',
      JSON.stringify(model),
      published ? JSON.stringify(model) : null,
      published ? 1 : 0,
      over.unknownKeys ?? 'refuse',
      over.badValues ?? 'refuse',
    ],
  )
  const num = rows[0]!.num
  const numbered = await db.query<{ identifier: string; num: number }>(
    'insert into product_properties (product_num, identifier) select $1, unnest($2::text[]) returning identifier, num',
    [num, published ? model.properties.map(({ identifier }) => identifier) : []],
  )
  const properties = Object.fromEntries(numbered.rows.map(row => [row.identifier, row.num]))
  return { id, num, tenantId: tenant.id, productKey, model, properties }
}

export async function insertDevice(
  db: Queryable,
  product: ProductFixture,
  over: { name?: string; deviceNo?: string; lifecycle?: string; secret?: string } = {},
): Promise<DeviceFixture> {
  const id = newId()
  const deviceNo = over.deviceNo ?? `dev-${randomBytes(5).toString('hex')}`
  const secret = over.secret ?? randomBytes(32).toString('base64url')
  const search = searchIndexOf(product.tenantId, [over.name ?? deviceNo, deviceNo])
  const { rows } = await db.query<{ num: number }>(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, secret_hash, secret_cipher, recycled_at,
       search_text, search_grams)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when $7 = 'recycled' then now() end, $10, $11) returning num`,
    [
      id,
      product.tenantId,
      product.id,
      product.num,
      deviceNo,
      over.name ?? deviceNo,
      over.lifecycle ?? 'inactive',
      createHash('sha256').update(secret).digest(),
      randomBytes(60),
      search.text,
      search.grams,
    ],
  )
  return { id, num: rows[0]!.num, tenantId: product.tenantId, product, deviceNo, secret }
}

/** One tenant with one product and one device. */
export async function insertThings(
  db: Queryable,
): Promise<{ tenant: TenantFixture; product: ProductFixture; device: DeviceFixture }> {
  const tenant = await insertTenant(db)
  const product = await insertProduct(db, tenant)
  return { tenant, product, device: await insertDevice(db, product) }
}
