import type { TenantScope } from '../../lib/database/database.ts'
import { type Connection, runOn, sql } from '../../lib/sql/statement.ts'

export interface UnknownKeyRow {
  key: string
  samples: string[]
  seen: number
  deviceNo: string
  firstAt: Date
  lastAt: Date
}

const LIST_UNKNOWN_KEYS = sql<UnknownKeyRow>`select key, samples, seen::float8 as seen, device_no as "deviceNo", first_at as "firstAt", last_at as "lastAt"
  from product_unknown_keys where product_id = $1 order by last_at desc, key limit 200`

export async function listUnknownKeys(scope: TenantScope, productId: string): Promise<UnknownKeyRow[]> {
  const { rows } = await scope.run(LIST_UNKNOWN_KEYS, [productId])
  return rows
}

const CLEAR_UNKNOWN_KEYS = sql`delete from product_unknown_keys where product_id = $1`

/** @returns how many there were */
export async function clearUnknownKeys(scope: TenantScope, productId: string): Promise<number> {
  return (await scope.run(CLEAR_UNKNOWN_KEYS, [productId])).rowCount ?? 0
}

/** A key of a product since the last writing. Times in epoch ms, samples as JSON texts. */
export interface UnknownKeyDelta {
  tenantId: string
  productId: string
  key: string
  samples: string[]
  seen: number
  deviceNo: string
  firstAt: number
  lastAt: number
}

const WRITE_UNKNOWN_KEYS = sql`insert into product_unknown_keys as k (tenant_id, product_id, key, samples, seen, device_no, first_at, last_at)
  select g."tenantId", g."productId", g.key, g.samples, g.seen, g."deviceNo", to_timestamp(g."firstAt" / 1000),
    to_timestamp(g."lastAt" / 1000)
  from jsonb_to_recordset($1::jsonb) as g ("tenantId" uuid, "productId" uuid, key text, samples text[], seen bigint,
    "deviceNo" text, "firstAt" float8, "lastAt" float8)
  join products p on p.id = g."productId" and p.deleted_at is null
  where (select count(*) from product_unknown_keys o where o.product_id = g."productId") < 200
    or exists (select from product_unknown_keys o where o.product_id = g."productId" and o.key = g.key)
  order by g."productId", g.key
  on conflict (product_id, key) do update set seen = k.seen + excluded.seen, last_at = excluded.last_at,
    device_no = excluded.device_no,
    samples = (select array_agg(s.sample order by s.place) from (
      select sample, max(place) as place from unnest(k.samples || excluded.samples) with ordinality as u (sample, place)
      group by sample order by max(place) desc limit 3) s)`

/** Adds to what is known of each key; of a product no more than 200 are kept. */
export async function writeUnknownKeys(db: Connection, keys: readonly UnknownKeyDelta[]): Promise<void> {
  await runOn(db, WRITE_UNKNOWN_KEYS, [JSON.stringify(keys)])
}
