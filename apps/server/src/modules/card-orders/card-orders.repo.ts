import type { DeliveryAddress } from '@thingwright/contracts/card-orders.contract'
import type { OrderState, SoldForm } from '@thingwright/contracts/money.words'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface CardOrder {
  id: string
  no: string
  tenantId: string
  state: OrderState
  items: {
    sku: string
    name: string
    ename: string
    quantity: number
    spec: { monthMb: number; months: number; use: 'single' | 'shared' | 'pool' }
  }[]
  payableFen: number
  remark: string
  carrier: 'cmcc' | 'ctcc'
  form: SoldForm
  address: DeliveryAddress
  firstIccid: string | null
  lastIccid: string | null
  logisticsCompany: string | null
  logisticsNo: string | null
  shippedAt: Date | null
  receivedAt: Date | null
  active: number
  expiresAt: Date | null
  createdAt: Date
}

const COLUMNS = part`o.id, o.no, o.tenant_id as "tenantId", o.state, o.items, o.payable_fen as "payableFen", o.remark, c.carrier, c.form,
  coalesce(c.address, '{}') as address, c.first_iccid as "firstIccid", c.last_iccid as "lastIccid", c.logistics_company as "logisticsCompany",
  c.logistics_no as "logisticsNo", c.shipped_at as "shippedAt", c.received_at as "receivedAt", coalesce(s.active, 0) as active,
  s.expires as "expiresAt", c.created_at as "createdAt"`
const FROM = part`card_orders c join purchase_orders o on o.id = c.order_id
  left join lateral (select count(*) filter (where s.state = 'active')::int as active, min(s.expires_at) as expires
    from sim_cards s where s.order_id = c.order_id) s on true`
const COUNT_FROM = part`card_orders c join purchase_orders o on o.id = c.order_id`

export interface CardOrderFilter {
  q?: string
  state?: OrderState
  carrier?: string
}

const FILTERS = {
  q: part`(o.no ilike $1 or o.items::text ilike $1 or c.first_iccid ilike $1 or c.last_iccid ilike $1 or c.logistics_no ilike $1)`,
  state: part`o.state = $1`,
  carrier: part`c.carrier = $1`,
}
export const CARD_ORDER_SORTS = ['createdAt'] as const
const SORTS = { createdAt: { by: part`c.created_at`, type: 'timestamptz' } } as const
const ID = { by: part`c.order_id`, type: 'uuid' } as const

/** Orders of new cards of the company ($1); renewals are listed with all orders. */
export const CARD_ORDERS = listSql<CardOrder, CardOrderFilter, 'createdAt'>({
  columns: COLUMNS,
  from: FROM,
  countFrom: COUNT_FROM,
  where: part`c.tenant_id = $1 and c.form is not null`,
  given: 1,
  filters: FILTERS,
  sorts: SORTS,
  id: ID,
})

/** The same of every company, for the operator; orders that nobody paid are not his. */
export const DESK_ORDERS = listSql<CardOrder & { companyName: string }, CardOrderFilter, 'createdAt'>({
  columns: part`${COLUMNS}, t.name as "companyName"`,
  from: part`${FROM} join tenants t on t.id = o.tenant_id`,
  countFrom: COUNT_FROM,
  where: part`c.form is not null and o.paid_at is not null`,
  filters: FILTERS,
  sorts: SORTS,
  id: ID,
})

const FIND = sql<CardOrder & { companyName: string }>`select ${COLUMNS}, t.name as "companyName" from ${FROM}
  join tenants t on t.id = o.tenant_id where c.order_id = $1 and c.form is not null`
export const find = async (scope: Runner, id: string) => (await scope.run(FIND, [id])).rows[0]

const INSERT = sql`insert into card_orders (order_id, tenant_id, carrier, form, address, card_ids) values ($1, $2, $3, $4, $5, $6)`

/** What is to be done for an order: cards to ship, or cards to renew. */
export async function insert(
  scope: Runner,
  order: {
    orderId: string
    tenantId: string
    carrier: string
    form: SoldForm | null
    address: DeliveryAddress | null
    cardIds: readonly string[]
  },
): Promise<void> {
  const address = order.address ? JSON.stringify(order.address) : null
  await scope.run(INSERT, [order.orderId, order.tenantId, order.carrier, order.form, address, order.cardIds])
}

const SHIPPED = sql`update card_orders set first_iccid = $2, last_iccid = $3, logistics_company = $4, logistics_no = $5,
  shipped_at = $6 where order_id = $1`
export async function noteShipped(
  scope: Runner,
  id: string,
  of: { first: string; last: string; company: string; no: string; at: Date },
): Promise<void> {
  await scope.run(SHIPPED, [id, of.first, of.last, of.company, of.no, of.at])
}

const RECEIVED = sql`update card_orders set received_at = $2 where order_id = $1`
export async function noteReceived(scope: Runner, id: string, at: Date): Promise<void> {
  await scope.run(RECEIVED, [id, at])
}

const CARD_IDS = sql<{ cardIds: string[] }>`select card_ids as "cardIds" from card_orders where order_id = $1`
export const cardIdsOf = async (scope: Runner, id: string): Promise<string[]> =>
  (await scope.run(CARD_IDS, [id])).rows[0]?.cardIds ?? []

const DUE = sql<{ id: string; kind: 'sim' | 'sim_renewal' }>`select o.id, o.kind from purchase_orders o
  where o.kind in ('sim', 'sim_renewal') and (o.state = 'paid' or (o.kind = 'sim_renewal' and o.state in ('processing', 'faulted')))
    and (o.next_try_at is null or o.next_try_at <= $1) order by o.created_at limit 200`
/** Paid orders of cards that nobody has begun, and renewals that failed and are due again. */
export const due = async (scope: Runner, now: Date) => (await scope.run(DUE, [now])).rows

const LATE = sql<{ id: string }>`select order_id as id from card_orders where shipped_at <= $1 and received_at is null
  order by shipped_at limit 200`
/** Orders that were shipped before this and have not been received. */
export const shippedBefore = async (scope: Runner, at: Date) => (await scope.run(LATE, [at])).rows

export interface OwnCard {
  id: string
  iccid: string
  carrier: string
  sold: boolean
}
const OWN_CARDS = sql<OwnCard>`select s.id, s.iccid, s.carrier, a.source_id is not null as sold from sim_cards s
  join carrier_accounts a on a.id = s.account_id where s.id = any ($1)`
export const ownCards = async (scope: Runner, ids: readonly string[]) => (await scope.run(OWN_CARDS, [ids])).rows

const OF_ORDER = sql<{ id: string }>`select id from sim_cards where order_id = $1 order by iccid`
/** Cards that came with an order and are still there. */
export const cardsOfOrder = async (scope: Runner, orderId: string): Promise<string[]> =>
  (await scope.run(OF_ORDER, [orderId])).rows.map(({ id }) => id)
