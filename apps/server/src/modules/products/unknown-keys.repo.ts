import type { TenantScope } from '../../lib/database.ts'
import { sql } from '../../lib/sql/statement.ts'

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
