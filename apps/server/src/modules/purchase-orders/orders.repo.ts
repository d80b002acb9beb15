import type { OrderItem } from '@thingwright/contracts/catalogue.contract'
import type { OrderKind, OrderState, PaymentState, Provider } from '@thingwright/contracts/money.words'
import { listSql } from '../../lib/sql/list.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { part, sql } from '../../lib/sql/statement.ts'

/** What fulfilling an order did, so that a refund can take it back. */
export interface Outcome {
  term?: { from: string; to: string; before: string | null }
}

export interface OrderRow {
  id: string
  no: string
  tenantId: string
  kind: OrderKind
  state: OrderState
  stateBefore: OrderState | null
  items: OrderItem[]
  amountFen: number
  discountFen: number
  payableFen: number
  paidFen: number
  refundedFen: number
  invoicedFen: number
  invoiceState: 'none' | 'open' | 'partly' | 'issued' | 'reversed'
  buyerName: string
  remark: string
  fault: string | null
  tries: number
  outcome: Outcome | null
  payBefore: Date
  createdAt: Date
  paidAt: Date | null
  completedAt: Date | null
  endedAt: Date | null
  provider: Provider | null
  paymentState: PaymentState | null
  version: number
}

const OWN = part`o.id, o.no, o.tenant_id as "tenantId", o.kind, o.state, o.state_before as "stateBefore", o.items,
  o.amount_fen as "amountFen", o.discount_fen as "discountFen", o.payable_fen as "payableFen", o.paid_fen as "paidFen",
  o.refunded_fen as "refundedFen", o.invoiced_fen as "invoicedFen", o.invoice_state as "invoiceState", o.buyer_name as "buyerName", o.remark, o.fault, o.tries,
  o.outcome, o.pay_before as "payBefore", o.created_at as "createdAt", o.paid_at as "paidAt", o.completed_at as "completedAt",
  o.ended_at as "endedAt", o.version`

/** Beside an order stands the payment that counts: the one that succeeded, otherwise the newest. */
const LAST_PAYMENT = part`left join lateral (select p.provider, p.state from payments p where p.order_id = o.id
  order by (p.state = 'succeeded') desc, p.created_at desc limit 1) pay on true`
const COLUMNS = part`${OWN}, pay.provider, pay.state as "paymentState"`
const FROM = part`purchase_orders o ${LAST_PAYMENT}`

export interface OrderFilter {
  tenantId?: string
  q?: string
  kind?: OrderKind
  state?: OrderState
  goods?: boolean
  from?: Date
  to?: Date
}

const FILTERS = {
  tenantId: part`o.tenant_id = $1`,
  q: part`(o.no like $1 or o.items::text ilike $1 or o.remark ilike $1)`,
  kind: part`o.kind = $1`,
  state: part`o.state = $1`,
  goods: { true: part`o.kind <> 'top_up'`, false: part`o.kind = 'top_up'` },
  from: part`o.created_at >= $1`,
  to: part`o.created_at < $1`,
}

export const ORDER_SORTS = ['createdAt'] as const
const SORTS = { createdAt: { by: part`o.created_at`, type: 'timestamptz' } } as const
const ID = { by: part`o.id`, type: 'uuid' } as const

/** Orders of the company ($1). */
export const ORDERS = listSql<OrderRow, OrderFilter, 'createdAt'>({
  columns: COLUMNS,
  from: FROM,
  countFrom: part`purchase_orders o`,
  where: part`o.tenant_id = $1`,
  given: 1,
  filters: FILTERS,
  sorts: SORTS,
  id: ID,
})

/** Orders of every company, for the operator. */
export const ALL_ORDERS = listSql<OrderRow & { companyName: string }, OrderFilter, 'createdAt'>({
  columns: part`${COLUMNS}, t.name as "companyName"`,
  from: part`${FROM} join tenants t on t.id = o.tenant_id`,
  countFrom: part`purchase_orders o`,
  filters: FILTERS,
  sorts: SORTS,
  id: ID,
})

const FIND = sql<OrderRow>`select ${COLUMNS} from ${FROM} where o.id = $1`
export const find = async (scope: Runner, id: string): Promise<OrderRow | undefined> =>
  (await scope.run(FIND, [id])).rows[0]

const HOLD = sql<{ id: string }>`select o.id from purchase_orders o where o.id = $1 for update`

/** The order, held until the transaction ends. */
export async function hold(scope: Runner, id: string): Promise<OrderRow | undefined> {
  if ((await scope.run(HOLD, [id])).rows.length === 0) return undefined
  return find(scope, id)
}

export interface NewOrder {
  id: string
  tenantId: string
  kind: OrderKind
  items: readonly OrderItem[]
  amountFen: number
  buyerId: string | null
  buyerName: string
  remark: string
  payBefore: Date
}

const INSERT = sql`insert into purchase_orders
    (id, no, tenant_id, holder_id, kind, state, items, amount_fen, payable_fen, invoice_state, buyer_id, buyer_name, remark, pay_before)
  values ($1, to_char(now() at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(nextval('order_numbers')::text, 10, '0'),
    $2, $2, $3, 'pending', $4, $5, $5, $6, $7, $8, $9, $10)`

export async function insert(scope: Runner, order: NewOrder): Promise<void> {
  await scope.run(INSERT, [
    order.id,
    order.tenantId,
    order.kind,
    JSON.stringify(order.items),
    order.amountFen,
    order.amountFen > 0 && order.kind !== 'top_up' ? 'open' : 'none',
    order.buyerId,
    order.buyerName,
    order.remark,
    order.payBefore,
  ])
}

export interface OrderChange {
  state: OrderState
  stateBefore?: OrderState | null
  paidFen?: number
  refundedFen?: number
  fault?: string | null
  tries?: number
  nextTryAt?: Date | null
  outcome?: Outcome | null
  payBefore?: Date
  paidAt?: Date | null
  completedAt?: Date | null
  endedAt?: Date | null
}

const CHANGE = sql`update purchase_orders set state = $2, state_before = $3, paid_fen = coalesce($4, paid_fen),
    refunded_fen = coalesce($5, refunded_fen), fault = $6, tries = coalesce($7, tries), next_try_at = $8,
    outcome = coalesce($9, outcome), pay_before = coalesce($10, pay_before), paid_at = coalesce($11, paid_at),
    completed_at = coalesce($12, completed_at), ended_at = coalesce($13, ended_at), version = version + 1
  where id = $1`

export async function change(scope: Runner, id: string, c: OrderChange): Promise<void> {
  await scope.run(CHANGE, [
    id,
    c.state,
    c.stateBefore ?? null,
    c.paidFen ?? null,
    c.refundedFen ?? null,
    c.fault ?? null,
    c.tries ?? null,
    c.nextTryAt ?? null,
    c.outcome ? JSON.stringify(c.outcome) : null,
    c.payBefore ?? null,
    c.paidAt ?? null,
    c.completedAt ?? null,
    c.endedAt ?? null,
  ])
}

export interface EventRow {
  at: Date
  event: string
  from: OrderState | null
  to: OrderState
  actorKind: string
  actorName: string
  remark: string
}

const INSERT_EVENT = sql`insert into purchase_order_events (id, tenant_id, order_id, event, from_state, to_state, actor_kind, actor_name, remark)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export async function insertEvent(
  scope: Runner,
  id: string,
  order: { id: string; tenantId: string },
  event: Omit<EventRow, 'at'>,
): Promise<void> {
  await scope.run(INSERT_EVENT, [
    id,
    order.tenantId,
    order.id,
    event.event,
    event.from,
    event.to,
    event.actorKind,
    event.actorName,
    event.remark,
  ])
}

const EVENTS = sql<EventRow>`select at, event, from_state as "from", to_state as "to", actor_kind as "actorKind",
    actor_name as "actorName", remark from purchase_order_events where order_id = $1 order by at, id limit 200`

export const events = async (scope: Runner, orderId: string) => (await scope.run(EVENTS, [orderId])).rows

const OVERDUE = sql<{ id: string; tenantId: string }>`select id, tenant_id as "tenantId" from purchase_orders o
  where o.state = 'pending' and o.pay_before <= $1
    and not exists (select 1 from payments p where p.order_id = o.id and p.state = 'in_review')
  order by o.pay_before limit 200`

/** Orders that nobody paid in time; one whose transfer is being looked at waits. */
export const overdue = async (scope: Runner, now: Date) => (await scope.run(OVERDUE, [now])).rows

const UNFULFILLED = sql<{ id: string; tenantId: string }>`select id, tenant_id as "tenantId" from purchase_orders
  where state in ('paid', 'processing', 'faulted') and kind not in ('sim', 'sim_renewal') and (next_try_at is null or next_try_at <= $1)
  order by next_try_at nulls first limit 200`

/** Orders that were paid and have not been given yet. */
export const unfulfilled = async (scope: Runner, now: Date) => (await scope.run(UNFULFILLED, [now])).rows
