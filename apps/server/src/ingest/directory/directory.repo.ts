import type pg from 'pg'
import { part, runOn, sql } from '../../lib/sql/statement.ts'
import type { StoredAccess } from '../topics/topic-rights.ts'

/** One device with what sign-in and the hot path need of its product. */
export interface DeviceRow {
  num: number
  id: string
  tenant_id: string
  product_id: string
  product_num: number
  product_key: string
  device_no: string
  lifecycle: 'inactive' | 'active' | 'disabled' | 'recycled'
  secret_hash: Buffer
  previous_secret_hash: Buffer | null
  previous_secret_until: Date | null
  access_token_hash?: Buffer | null
  previous_token_hash?: Buffer | null
  previous_token_until?: Date | null
  /** Topic rights and limits (ingest/topics/topic-rights.ts). */
  device_access?: StoredAccess
  product_access?: StoredAccess
  offline_delay_seconds: number
  gateway: number | null
  sub_address: string | null
  overrides: Record<string, unknown>
  product_status: 'draft' | 'published'
  model_version: number
  /** The company's state lets devices in (modules/tenants/company-states.ts, takesData). */
  company_open: boolean
}

export interface ProductRow {
  num: number
  product_key: string
  status: 'draft' | 'published'
  model_version: number
  published_model: unknown
  tenant_id: string
  link_type: string
  node_type: 'device' | 'gateway' | 'sub_device'
  /** As stored: how payloads become values, how devices connect, whose firmware they may run. */
  format: Record<string, unknown>
  link: Record<string, unknown>
  dialects: Record<string, unknown>
  sub_devices: Record<string, unknown>
  command_rules: Record<string, unknown>
  unknown_keys?: 'refuse' | 'ignore' | 'collect'
  lenient_types?: boolean | null
  bad_values?: 'drop' | 'refuse'
}

const DEVICE_COLUMNS = part`d.num, d.id, d.tenant_id, d.product_id, d.product_num, p.product_key, d.device_no, d.lifecycle,
  d.secret_hash, d.previous_secret_hash, d.previous_secret_until,
  d.access_token_hash, d.previous_token_hash, d.previous_token_until, d.access as device_access, p.access as product_access,
  coalesce(d.offline_delay_seconds, p.offline_delay_seconds) as offline_delay_seconds,
  d.gateway, d.sub_address, d.overrides,
  p.status as product_status, p.model_version, t.status in ('trial', 'active', 'grace') as company_open`

const DEVICES_BY_NUMBER = sql<DeviceRow>`select ${DEVICE_COLUMNS}
  from unnest($1::text[], $2::text[]) as k (product_key, device_no)
  join products p on p.product_key = k.product_key and p.deleted_at is null
  join devices d on d.product_id = p.id and d.device_no = k.device_no
  join tenants t on t.id = d.tenant_id`.named('directory-by-number')

/** Devices by product key and number, many at once. */
async function devicesByNumber(
  db: pg.Pool,
  keys: readonly { productKey: string; deviceNo: string }[],
): Promise<DeviceRow[]> {
  const result = await runOn(db, DEVICES_BY_NUMBER, [keys.map(key => key.productKey), keys.map(key => key.deviceNo)])
  return result.rows
}

const DEVICES_BY_NUM = sql<DeviceRow>`select ${DEVICE_COLUMNS} from devices d join products p on p.id = d.product_id
  join tenants t on t.id = d.tenant_id where d.num = any ($1::int[])`.named('directory-by-num')

/** Devices by their integer, many at once. */
async function devicesByNum(db: pg.Pool, nums: readonly number[]): Promise<DeviceRow[]> {
  const result = await runOn(db, DEVICES_BY_NUM, [nums])
  return result.rows
}

const PRODUCTS_BY_NUM =
  sql<ProductRow>`select num, product_key, status, model_version, published_model, tenant_id, link_type, node_type, format, link, dialects,
  sub_devices, command_rules, unknown_keys, lenient_types, bad_values
  from products where num = any ($1::int[])`.named('directory-products')

/** What products' devices are checked against. */
async function productsByNum(db: pg.Pool, nums: readonly number[]): Promise<ProductRow[]> {
  const result = await runOn(db, PRODUCTS_BY_NUM, [nums])
  return result.rows
}

/** The directory's look-ups, bound to a pool. */
export function directoryQueries(db: pg.Pool) {
  return {
    byNumber: (keys: readonly { productKey: string; deviceNo: string }[]) => devicesByNumber(db, keys),
    byNum: (nums: readonly number[]) => devicesByNum(db, nums),
    products: (nums: readonly number[]) => productsByNum(db, nums),
  }
}
