import type { PaymentState, Provider, RefundState } from '@thingwright/contracts/money.words'
import type { Runner } from '../../lib/sql/statement.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

export interface Voucher {
  number: string
  payer: string
  note?: string | undefined
  fileIds?: string[] | undefined
}

export interface PaymentRow {
  id: string
  no: string
  tenantId: string
  orderId: string
  provider: Provider
  state: PaymentState
  amountFen: number
  codeUrl: string | null
  pageUrl: string | null
  voucher: Voucher | null
  providerNo: string | null
  reason: string | null
  decidedBy: string | null
  decidedAt: Date | null
  createdAt: Date
  paidAt: Date | null
  expiresAt: Date | null
  /** When its provider is asked about it next; null: there is nothing to ask. */
  askAt: Date | null
  asks: number
}

const COLUMNS = part`id, no, tenant_id as "tenantId", order_id as "orderId", provider, state, amount_fen as "amountFen",
  code_url as "codeUrl", page_url as "pageUrl", voucher, provider_no as "providerNo", reason, decided_by as "decidedBy",
  decided_at as "decidedAt", created_at as "createdAt", paid_at as "paidAt", expires_at as "expiresAt", ask_at as "askAt", asks`

const FIND = holdable(sql<PaymentRow>`select ${COLUMNS} from payments where id = $1`, part`for update`)

export async function findPayment(scope: Runner, id: string, lock = false): Promise<PaymentRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

const OF_ORDER = sql<PaymentRow>`select ${COLUMNS} from payments where order_id = $1 order by created_at desc, id desc limit 100`

/** The newest first. */
export const paymentsOf = async (scope: Runner, orderId: string) => (await scope.run(OF_ORDER, [orderId])).rows

export interface NewPayment {
  id: string
  tenantId: string
  orderId: string
  provider: Provider
  state: PaymentState
  amountFen: number
  voucher: Voucher | null
  expiresAt: Date | null
  paidAt: Date | null
}

const INSERT = sql<PaymentRow>`insert into payments (id, no, tenant_id, order_id, provider, state, amount_fen, voucher, expires_at, paid_at)
  values ($1, 'P' || to_char(now() at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(nextval('order_numbers')::text, 10, '0'),
    $2, $3, $4, $5, $6, $7, $8, $9) returning ${COLUMNS}`

export async function insertPayment(scope: Runner, p: NewPayment): Promise<PaymentRow> {
  const { rows } = await scope.run(INSERT, [
    p.id,
    p.tenantId,
    p.orderId,
    p.provider,
    p.state,
    p.amountFen,
    p.voucher ? JSON.stringify(p.voucher) : null,
    p.expiresAt,
    p.paidAt,
  ])
  return rows[0]!
}

export interface PaymentChange {
  state: PaymentState
  codeUrl?: string | null
  pageUrl?: string | null
  providerNo?: string | null
  reason?: string | null
  decidedBy?: string | null
  decidedAt?: Date | null
  paidAt?: Date | null
}

const CHANGE = sql`update payments set state = $2, code_url = coalesce($3, code_url), page_url = coalesce($4, page_url),
    provider_no = coalesce($5, provider_no), reason = coalesce($6, reason), decided_by = coalesce($7, decided_by),
    decided_at = coalesce($8, decided_at), paid_at = coalesce($9, paid_at),
    ask_at = case when $2 = 'succeeded' then null else ask_at end
  where id = $1`

export async function changePayment(scope: Runner, id: string, c: PaymentChange): Promise<void> {
  await scope.run(CHANGE, [
    id,
    c.state,
    c.codeUrl ?? null,
    c.pageUrl ?? null,
    c.providerNo ?? null,
    c.reason ?? null,
    c.decidedBy ?? null,
    c.decidedAt ?? null,
    c.paidAt ?? null,
  ])
}

const CLOSE_OPEN = sql`update payments set state = 'closed',
    ask_at = case when provider in ('wechat', 'alipay') then $2::timestamptz end
  where order_id = $1 and state in ('created', 'pending')`

/** Closed here; a provider that could still be paid is asked to close it too, as soon as may be. */
export async function closeOpenPayments(scope: Runner, orderId: string, at: Date): Promise<void> {
  await scope.run(CLOSE_OPEN, [orderId, at])
}

const REVIEW = part`p.id, p.no, p.tenant_id as "tenantId", p.order_id as "orderId", p.state, p.amount_fen as "amountFen", p.voucher,
  p.reason, p.decided_by as "decidedBy", p.decided_at as "decidedAt", p.created_at as "createdAt", o.no as "orderNo",
  o.buyer_name as "buyerName", t.name as "companyName"`

export interface TransferRow {
  id: string
  no: string
  tenantId: string
  orderId: string
  orderNo: string
  state: PaymentState
  amountFen: number
  voucher: Voucher | null
  reason: string | null
  decidedBy: string | null
  decidedAt: Date | null
  createdAt: Date
  buyerName: string
  companyName: string
}

const TRANSFERS = part`payments p join purchase_orders o on o.id = p.order_id join tenants t on t.id = p.tenant_id`
const OPEN_TRANSFERS = sql<TransferRow>`select ${REVIEW} from ${TRANSFERS} where p.state = 'in_review' order by p.created_at limit $1`
const DECIDED_TRANSFERS = sql<TransferRow>`select ${REVIEW} from ${TRANSFERS} where p.provider = 'transfer' and p.state <> 'in_review'
  order by p.decided_at desc nulls last limit $1`
const ONE_TRANSFER = sql<TransferRow>`select ${REVIEW} from ${TRANSFERS} where p.id = $1 and p.provider = 'transfer'`

export const transfers = async (scope: Runner, open: boolean, limit: number) =>
  (await scope.run(open ? OPEN_TRANSFERS : DECIDED_TRANSFERS, [limit])).rows
export const transfer = async (scope: Runner, id: string): Promise<TransferRow | undefined> =>
  (await scope.run(ONE_TRANSFER, [id])).rows[0]

export interface RefundRow {
  id: string
  no: string
  tenantId: string
  companyName: string
  orderId: string
  orderNo: string
  paymentId: string | null
  provider: Provider | null
  amountFen: number
  way: 'balance' | 'origin'
  state: RefundState
  reason: string
  answer: string | null
  askedBy: string
  decidedBy: string | null
  decidedAt: Date | null
  createdAt: Date
  doneAt: Date | null
  /** What the provider says against it. */
  said: string
  asks: number
}

const REFUND = part`r.id, r.no, r.tenant_id as "tenantId", t.name as "companyName", r.order_id as "orderId", o.no as "orderNo",
  r.payment_id as "paymentId", p.provider, r.amount_fen as "amountFen", r.way, r.state, r.reason, r.answer, r.asked_by as "askedBy",
  r.decided_by as "decidedBy", r.decided_at as "decidedAt", r.created_at as "createdAt", r.done_at as "doneAt", r.said, r.asks`
const REFUNDS = part`refunds r join purchase_orders o on o.id = r.order_id join tenants t on t.id = r.tenant_id
  left join payments p on p.id = r.payment_id`

const REFUNDS_OF = sql<RefundRow>`select ${REFUND} from ${REFUNDS} where r.order_id = $1 order by r.created_at desc, r.id desc limit 100`
export const refundsOf = async (scope: Runner, orderId: string) => (await scope.run(REFUNDS_OF, [orderId])).rows

const FIND_REFUND = holdable(sql<RefundRow>`select ${REFUND} from ${REFUNDS} where r.id = $1`, part`for update of r`)
export async function findRefund(scope: Runner, id: string, lock = false): Promise<RefundRow | undefined> {
  return (await scope.run(lock ? FIND_REFUND.held : FIND_REFUND.free, [id])).rows[0]
}

const OPEN_REFUNDS = sql<RefundRow>`select ${REFUND} from ${REFUNDS} where r.state = 'requested' order by r.created_at limit $1`
const DECIDED_REFUNDS = sql<RefundRow>`select ${REFUND} from ${REFUNDS} where r.state <> 'requested'
  order by r.decided_at desc nulls last limit $1`
export const refundCases = async (scope: Runner, open: boolean, limit: number) =>
  (await scope.run(open ? OPEN_REFUNDS : DECIDED_REFUNDS, [limit])).rows

const REFUND_PAGE = sql<RefundRow>`select ${REFUND} from ${REFUNDS} where r.tenant_id = $1
    and ($2::timestamptz is null or (r.created_at, r.id) < ($2::timestamptz, $3::uuid))
  order by r.created_at desc, r.id desc limit $4`
export const refundPage = async (
  scope: Runner,
  tenantId: string,
  after: readonly [string, string] | null,
  limit: number,
) => (await scope.run(REFUND_PAGE, [tenantId, after?.[0] ?? null, after?.[1] ?? null, limit])).rows

const INSERT_REFUND = sql`insert into refunds (id, no, tenant_id, order_id, payment_id, amount_fen, way, state, reason, asked_by)
  values ($1, 'R' || to_char(now() at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(nextval('order_numbers')::text, 10, '0'),
    $2, $3, $4, $5, $6, 'requested', $7, $8)`

export async function insertRefund(
  scope: Runner,
  r: {
    id: string
    tenantId: string
    orderId: string
    paymentId: string | null
    amountFen: number
    way: 'balance' | 'origin'
    reason: string
    askedBy: string
  },
): Promise<void> {
  await scope.run(INSERT_REFUND, [r.id, r.tenantId, r.orderId, r.paymentId, r.amountFen, r.way, r.reason, r.askedBy])
}

const CHANGE_REFUND = sql`update refunds set state = $2, answer = coalesce($3, answer), decided_by = coalesce($4, decided_by),
    decided_at = coalesce($5, decided_at), done_at = coalesce($6, done_at) where id = $1`

export async function changeRefund(
  scope: Runner,
  id: string,
  c: { state: RefundState; answer?: string | null; decidedBy?: string; decidedAt?: Date; doneAt?: Date },
): Promise<void> {
  await scope.run(CHANGE_REFUND, [
    id,
    c.state,
    c.answer ?? null,
    c.decidedBy ?? null,
    c.decidedAt ?? null,
    c.doneAt ?? null,
  ])
}

const MOVEMENT_OF = sql<{ transactionId: string; balanceAfterFen: number | null }>`select t.id as "transactionId",
    (select e.after_fen from ledger_entries e where e.transaction_id = t.id and e.account = 'available') as "balanceAfterFen"
  from ledger_transactions t where t.tenant_id = $1 and t.key = $2`

/** The movement of money behind a key, and the balance after it when it came from there. */
export const movementOf = async (scope: Runner, tenantId: string, key: string) =>
  (await scope.run(MOVEMENT_OF, [tenantId, key])).rows[0] ?? null

const BEYOND = sql<{ n: number }>`select
    ((select coalesce(sum(p.amount_fen), 0) from payments p
      where p.tenant_id = $1 and p.state = 'succeeded' and p.provider <> 'balance')
    - (select coalesce(sum(r.amount_fen), 0) from refunds r join purchase_orders o on o.id = r.order_id
      where r.tenant_id = $1 and r.state in ('requested', 'processing', 'done') and (o.kind = 'top_up' or r.way = 'origin'))
    - (select coalesce(sum(invoiced_fen), 0) from purchase_orders where tenant_id = $1))::float8 as n`

/** Fen that came from the company and stay, beyond what is invoiced; what is asked back counts as gone. */
export async function paidBeyondInvoices(scope: Runner, tenantId: string): Promise<number> {
  return (await scope.run(BEYOND, [tenantId])).rows[0]!.n
}
