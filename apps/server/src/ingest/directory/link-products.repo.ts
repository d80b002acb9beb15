import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'

/** A product that needs more than the shared port's default line: a port of its own, or a rule for its devices' numbers. */
export interface LinkProduct {
  num: number
  productKey: string
  linkType: string
  ownPort: number | null
  link: Record<string, unknown>
  formatKind: string | null
}

/** More products with settings of this kind than one installation should have. */
const MOST = 5_000

const LINK_PRODUCTS =
  sql<LinkProduct>`select num, product_key as "productKey", link_type as "linkType", own_port as "ownPort", link,
    format->>'kind' as "formatKind"
  from products
  where deleted_at is null and status = 'published' and link_type in ('tcp', 'udp', 'modbus_rtu', 'modbus_tcp')
    and (own_port is not null or link->'register'->>'kind' in ('regex', 'json'))
  order by num limit ${MOST}`.named('link-products')

/** Published products with a port of their own, or whose devices name themselves by a pattern or a JSON path. */
export async function linkProducts(db: pg.Pool): Promise<LinkProduct[]> {
  const { rows } = await runOn(db, LINK_PRODUCTS)
  return rows
}
