import { type Static, Type } from 'typebox'
import { OrderItem } from './catalogue.contract.ts'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import { UsageView } from './company.contract.ts'
import {
  INVOICE_STATES,
  ORDER_KINDS,
  ORDER_STATES,
  PAY_FORMS,
  PAYMENT_STATES,
  PROVIDERS,
  REFUND_STATES,
  TOP_UP_FEN,
  VOUCHER_FILE_BYTES,
  VOUCHER_FILES_MOST,
} from './money.words.ts'
import { route } from './route.ts'
import { Fen, UnitsView, WalletView } from './wallets.contract.ts'

export const CurrentPlan = Type.Object({
  sku: Type.String(),
  itemId: Id,
  name: Type.String(),
  ename: Type.String(),
  months: Type.Integer(),
  priceFen: Fen,
  startedAt: IsoTime,
  endsAt: IsoTime,
  next: Nullable(Type.Object({ itemId: Id, name: Type.String(), ename: Type.String() })),
  expansions: Type.Array(Type.Object({ quota: Type.String(), quantity: Type.Integer(), endsAt: IsoTime })),
  version: Type.Integer(),
})
export type CurrentPlan = Static<typeof CurrentPlan>

export const AssetsView = Type.Object({
  wallet: WalletView,
  plan: Nullable(CurrentPlan),
  /** The company's term, with or without a plan. */
  term: Type.Object({
    status: Type.String(),
    expiresAt: Nullable(IsoTime),
    graceEndsAt: Nullable(IsoTime),
    daysLeft: Nullable(Type.Integer()),
  }),
  units: Type.Array(UnitsView),
  usage: Type.Array(UsageView),
  charged: Type.Object({ last30Fen: Fen, before30Fen: Fen, monthFen: Fen }),
  /** Something is sold here; without a published plan nothing is bought, limited or reminded of. */
  sells: Type.Boolean(),
})
export type AssetsView = Static<typeof AssetsView>

/** A picture or PDF of the voucher of a bank transfer. */
export const VoucherFileView = Type.Object({
  id: Id,
  name: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  createdAt: IsoTime,
})
export type VoucherFileView = Static<typeof VoucherFileView>

export const PaymentView = Type.Object({
  id: Id,
  no: Type.String(),
  orderId: Id,
  provider: Words(PROVIDERS),
  state: Words(PAYMENT_STATES),
  amountFen: Fen,
  /** What a phone scans. */
  codeUrl: Nullable(Type.String()),
  /** Where the browser goes. */
  pageUrl: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  createdAt: IsoTime,
  paidAt: Nullable(IsoTime),
  expiresAt: Nullable(IsoTime),
})
export type PaymentView = Static<typeof PaymentView>

export const RefundView = Type.Object({
  id: Id,
  no: Type.String(),
  orderId: Id,
  orderNo: Type.String(),
  amountFen: Fen,
  way: Words(['balance', 'origin']),
  state: Words(REFUND_STATES),
  reason: Type.String(),
  answer: Nullable(Type.String()),
  said: Type.String({ description: 'What the provider says against it' }),
  askedBy: Type.String(),
  decidedBy: Nullable(Type.String()),
  createdAt: IsoTime,
  doneAt: Nullable(IsoTime),
})
export type RefundView = Static<typeof RefundView>

export const OrderRow = Type.Object({
  id: Id,
  no: Type.String(),
  kind: Words(ORDER_KINDS),
  state: Words(ORDER_STATES),
  items: Type.Array(OrderItem),
  amountFen: Fen,
  discountFen: Fen,
  payableFen: Fen,
  paidFen: Fen,
  refundedFen: Fen,
  invoiceState: Words(INVOICE_STATES),
  buyerName: Type.String(),
  remark: Type.String(),
  fault: Nullable(Type.String()),
  payBefore: IsoTime,
  createdAt: IsoTime,
  paidAt: Nullable(IsoTime),
  completedAt: Nullable(IsoTime),
  endedAt: Nullable(IsoTime),
  /** How it was paid, or how somebody is paying. */
  provider: Nullable(Words(PROVIDERS)),
  paymentState: Nullable(Words(PAYMENT_STATES)),
  version: Type.Integer(),
})
export type OrderRow = Static<typeof OrderRow>

export const OrderEvent = Type.Object({
  at: IsoTime,
  event: Type.String(),
  from: Nullable(Words(ORDER_STATES)),
  to: Words(ORDER_STATES),
  actorKind: Type.String(),
  actorName: Type.String(),
  remark: Type.String(),
})

export const OrderView = Type.Object({
  ...OrderRow.properties,
  /** How it can be paid now; empty when it cannot. */
  ways: Type.Array(Words(PROVIDERS)),
  payments: Type.Array(PaymentView),
  refunds: Type.Array(RefundView),
  events: Type.Array(OrderEvent),
})
export type OrderView = Static<typeof OrderView>

const orderFilters = {
  kind: Type.Optional(Words(ORDER_KINDS)),
  state: Type.Optional(Words(ORDER_STATES)),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
}

export const RECHARGE_STATES = [
  'pending',
  'paying',
  'in_review',
  'succeeded',
  'failed',
  'refused',
  'closed',
  'refunded',
] as const

export const RechargeView = Type.Object({
  id: Id,
  no: Type.String(),
  amountFen: Fen,
  state: Words(RECHARGE_STATES),
  provider: Nullable(Words(PROVIDERS)),
  payment: Nullable(PaymentView),
  buyerName: Type.String(),
  createdAt: IsoTime,
  paidAt: Nullable(IsoTime),
  payBefore: IsoTime,
})
export type RechargeView = Static<typeof RechargeView>

const rechargeFilters = { from: Type.Optional(IsoTime), to: Type.Optional(IsoTime) }

const Lines = Type.Array(
  Type.Object(
    { sku: Type.String({ maxLength: 40 }), quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) },
    { additionalProperties: false },
  ),
  { minItems: 1, maxItems: 1 },
)

export const Quote = Type.Object({
  kind: Words(ORDER_KINDS),
  items: Type.Array(OrderItem),
  amountFen: Fen,
  payableFen: Fen,
  availableFen: Fen,
  /** A smaller plan: it begins when the present one ends, and is paid for then. */
  later: Nullable(IsoTime),
  providers: Type.Array(Words(PROVIDERS)),
})
export type Quote = Static<typeof Quote>

const tag = 'Money'
const pay = { permission: 'money:write', wholeCompany: true, anyAccountState: true } as const
const read = { permission: 'money:read', wholeCompany: true, anyAccountState: true } as const

export const purchaseOrdersContract = {
  assets: route({
    method: 'GET',
    path: '/api/v1/assets',
    tag,
    summary: 'What the company has: balance, plan, units, usage, charges',
    permission: 'money:read',
    wholeCompany: true,
    anyAccountState: true,
    response: AssetsView,
  }),
  list: route({
    method: 'GET',
    path: '/api/v1/orders',
    tag,
    summary: 'Orders of the company, the newest first; q: number, name of what was bought. Sorts: createdAt',
    ...read,
    query: Type.Object({ ...listQuery, ...orderFilters }),
    response: listOf(OrderRow),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/orders/export',
    tag,
    summary: 'The same as a file, at most 100,000',
    ...read,
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...orderFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  quote: route({
    method: 'POST',
    path: '/api/v1/orders/quote',
    tag,
    summary: 'What it would cost now, with what is left of the present plan taken off; nothing is made',
    ...read,
    audit: { none: 'it changes nothing' },
    body: Type.Object({ items: Lines }, { additionalProperties: false }),
    response: Quote,
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/orders',
    tag,
    summary: 'Orders something of the catalogue; it is to be paid within 30 minutes',
    ...pay,
    audit: 'purchase_order.create',
    status: 201,
    body: Type.Object(
      { items: Lines, remark: Type.Optional(Type.String({ maxLength: 200 })) },
      { additionalProperties: false },
    ),
    response: OrderView,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/orders/{id}',
    tag,
    summary: 'One of them with payments, refunds and what happened',
    ...read,
    params: IdParams,
    response: OrderView,
  }),
  receipt: route({
    method: 'GET',
    path: '/api/v1/orders/{id}/receipt',
    tag,
    summary: 'What a paid order or top-up was paid with, as a PDF; a receipt, not an invoice',
    ...read,
    params: IdParams,
    response: Type.String(),
    produces: 'application/pdf',
  }),
  pay: route({
    method: 'POST',
    path: '/api/v1/orders/{id}/pay',
    tag,
    summary: 'Pays: from the balance at once, otherwise the answer holds what to scan or where to go',
    ...pay,
    audit: 'purchase_order.pay',
    params: IdParams,
    body: Type.Object(
      {
        provider: Words(PROVIDERS),
        /** Of Alipay: a code to scan, or its page. */
        form: Type.Optional(Words(PAY_FORMS)),
        /** Of a bank transfer: what the bank calls it, and the payer. */
        voucher: Type.Optional(
          Type.Object(
            {
              number: Type.String({ minLength: 4, maxLength: 64, pattern: '\\S' }),
              payer: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }),
              note: Type.Optional(Type.String({ maxLength: 200 })),
              fileIds: Type.Optional(Type.Array(Id, { maxItems: VOUCHER_FILES_MOST, uniqueItems: true })),
            },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
    response: OrderView,
  }),
  addVoucherFile: route({
    method: 'POST',
    path: '/api/v1/orders/voucher-files',
    tag,
    summary: 'Uploads a picture or PDF of the voucher of a bank transfer (PNG, JPEG, WebP, PDF)',
    ...pay,
    audit: 'payment.file',
    status: 201,
    upload: { maxBytes: VOUCHER_FILE_BYTES },
    response: VoucherFileView,
  }),
  voucherFile: route({
    method: 'GET',
    path: '/api/v1/orders/voucher-files/{id}',
    tag,
    summary: 'One of them',
    ...read,
    params: IdParams,
    produces: 'application/octet-stream',
    response: Type.Unknown(),
  }),
  cancel: route({
    method: 'POST',
    path: '/api/v1/orders/{id}/cancel',
    tag,
    summary: 'Cancels an order that was not paid',
    ...pay,
    audit: 'purchase_order.cancel',
    params: IdParams,
    response: OrderView,
  }),
  refund: route({
    method: 'POST',
    path: '/api/v1/orders/{id}/refund',
    tag,
    summary: 'Asks for the money back, all of it or a part; an operator decides',
    ...pay,
    audit: 'purchase_order.refund',
    params: IdParams,
    body: Type.Object(
      {
        amountFen: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000_000 })),
        way: Words(['balance', 'origin']),
        reason: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
      },
      { additionalProperties: false },
    ),
    response: OrderView,
  }),
  refunds: route({
    method: 'GET',
    path: '/api/v1/refunds',
    tag,
    summary: 'Refunds of the company, the newest first',
    ...read,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(RefundView),
  }),
  payment: route({
    method: 'GET',
    path: '/api/v1/payments/{id}',
    tag,
    summary: 'How a payment stands',
    ...read,
    params: IdParams,
    response: PaymentView,
  }),
  simulate: route({
    method: 'POST',
    path: '/api/v1/payments/{id}/simulate',
    tag,
    summary: 'What the simulated provider answers; only where no real provider is set up',
    ...pay,
    audit: 'payment.simulate',
    params: IdParams,
    body: Type.Object({ outcome: Words(['paid', 'failed']) }, { additionalProperties: false }),
    response: PaymentView,
  }),
  recharge: route({
    method: 'POST',
    path: '/api/v1/recharges',
    tag,
    summary: 'Tops up the balance: 1 to 500,000 yuan, to the fen',
    ...pay,
    audit: 'recharge.create',
    status: 201,
    body: Type.Object(
      { amountFen: Type.Integer({ minimum: TOP_UP_FEN.least, maximum: TOP_UP_FEN.most }) },
      { additionalProperties: false },
    ),
    example: { body: { amountFen: 50_000 } },
    response: OrderView,
  }),
  recharges: route({
    method: 'GET',
    path: '/api/v1/recharges',
    tag,
    summary: 'Top-ups of the company, the newest first',
    ...read,
    query: Type.Object({ ...listQuery, ...rechargeFilters }),
    response: listOf(RechargeView),
  }),
  exportRecharges: route({
    method: 'GET',
    path: '/api/v1/recharges/export',
    tag,
    summary: 'The same as a file, at most 100,000',
    ...read,
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...rechargeFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  cancelDowngrade: route({
    method: 'DELETE',
    path: '/api/v1/plan/next',
    tag,
    summary: 'The present plan goes on after its end',
    permission: 'money:write',
    wholeCompany: true,
    audit: 'company_plan.keep',
    query: Type.Object({ version: Version }),
    response: Nullable(CurrentPlan),
  }),
}

/** An order as the operator sees it. */
export const DeskOrder = Type.Object({ ...OrderRow.properties, tenantId: Id, companyName: Type.String() })
export type DeskOrder = Static<typeof DeskOrder>

export const Mismatch = Type.Object({
  kind: Words([
    'wallet_differs',
    'movement_unbalanced',
    'order_paid_differs',
    'order_not_fulfilled',
    'units_differ',
    'payment_not_booked',
    'refund_differs',
  ]),
  tenantId: Id,
  companyName: Type.String(),
  about: Type.String(),
  expected: Type.String(),
  found: Type.String(),
})
export type Mismatch = Static<typeof Mismatch>

const desk = { tag: 'Operator', permission: 'operator:write' } as const

export const moneyDeskContract = {
  orders: route({
    method: 'GET',
    path: '/api/v1/operator/orders',
    tag: 'Operator',
    summary: 'Orders of every company, the newest first',
    permission: 'operator:use',
    query: Type.Object({ ...listQuery, ...orderFilters, tenantId: Type.Optional(Id) }),
    response: listOf(DeskOrder),
  }),
  retry: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/orders/{id}/retry',
    summary: 'Tries again to fulfil an order that failed',
    audit: 'purchase_order.retry',
    params: IdParams,
    response: Ok,
  }),
  wallet: route({
    method: 'GET',
    tag: 'Operator',
    permission: 'operator:use',
    path: '/api/v1/operator/companies/{id}/wallet',
    summary: 'Balance, credit line and units of a company',
    params: IdParams,
    response: Type.Object({ availableFen: Fen, frozenFen: Fen, creditFen: Fen, units: Type.Array(UnitsView) }),
  }),
  credit: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/companies/{id}/wallet',
    summary: 'Gives money or units, corrects a balance, sets a credit line; the reason stands in the entries',
    audit: 'wallet.correct',
    params: IdParams,
    body: Type.Object(
      {
        giftFen: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
        adjustFen: Type.Optional(Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 })),
        creditFen: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000_000 })),
        sms: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        voice: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        unitMonths: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
        reason: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ availableFen: Fen, creditFen: Fen }),
  }),
  reconciliation: route({
    method: 'GET',
    path: '/api/v1/operator/reconciliation',
    tag: 'Operator',
    summary: 'Where books do not agree; empty: they do',
    permission: 'operator:use',
    response: Type.Object({ at: IsoTime, items: Type.Array(Mismatch) }),
  }),
}
