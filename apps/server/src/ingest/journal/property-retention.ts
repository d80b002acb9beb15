import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { RetentionLimits } from './retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Devices whose history is cut in one statement. */
const PART = 500

type Db = Pick<pg.Pool, 'query'>

const SELECT_PRODUCTS = sql<{
  product: number
  days: number
  properties: number[]
}>`select o.num as product, (p ->> 'retentionDays')::int as days, array_agg(n.num) as properties
  from products o cross join jsonb_array_elements(o.published_model -> 'properties') p
  join product_properties n on n.product_num = o.num
    and n.identifier in (p ->> 'identifier', (p ->> 'identifier') || '#raw')
  where (p ->> 'retentionDays')::int < $1
  group by o.num, days order by o.num, days`

const SELECT_DEVICES = sql<{
  num: number
}>`select num from devices where product_num = $1 and num > $2 order by num limit $3`

const DELETE_TELEMETRY = sql`delete from telemetry where device = any ($1::int[]) and property = any ($2::int[]) and hour < $3`

/**
 * Deletes the history of properties that their product's model keeps shorter than the installation, raw values with it:
 * whole hours that are over.
 * @returns number of rows of history deleted
 */
export async function deletePropertyHistory(db: Db, limits: RetentionLimits, nowMs: number): Promise<number> {
  const { rows: wishes } = await runOn(db, SELECT_PRODUCTS, [limits.historyDays])
  let deleted = 0
  for (const { product, days, properties } of wishes) {
    const hour = Math.floor((nowMs - days * DAY_MS) / HOUR_MS)
    let after = 0
    for (;;) {
      const { rows } = await runOn(db, SELECT_DEVICES, [product, after, PART])
      if (rows.length === 0) break
      const nums = rows.map(row => row.num)
      after = nums.at(-1)!
      const { rowCount } = await runOn(db, DELETE_TELEMETRY, [nums, properties, hour])
      deleted += rowCount ?? 0
    }
  }
  return deleted
}
