import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { CARDS_PER_ORDER, CARDS_PER_RENEWAL, ORDER_STATES, SOLD_FORMS, STOCK_STATES } from './money.words.ts'
import { OrderView } from './purchase-orders.contract.ts'
import { route } from './route.ts'
import { CARD_USES, CARRIER_KINDS, CARRIERS, ICCID_PATTERN } from './sim-cards.words.ts'
import { Fen } from './wallets.contract.ts'

const strict = { additionalProperties: false } as const
const Iccid = Type.String({ pattern: ICCID_PATTERN, minLength: 19, maxLength: 20 })
const Sku = Type.String({ maxLength: 40 })

/** Where cards are sent. */
export const DeliveryAddress = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }),
    phone: Type.String({ pattern: '^[0-9+ -]{7,20}$' }),
    region: Type.String({ minLength: 2, maxLength: 64, pattern: '\\S' }),
    line: Type.String({ minLength: 2, maxLength: 200, pattern: '\\S' }),
  },
  strict,
)
export type DeliveryAddress = Static<typeof DeliveryAddress>

/** An order of SIM cards, with what became of the cards. */
export const CardOrderRow = Type.Object({
  id: Id,
  no: Type.String(),
  state: Words(ORDER_STATES),
  carrier: Words(CARRIERS),
  use: Words(CARD_USES),
  form: Words(SOLD_FORMS),
  sku: Type.String(),
  planName: Type.String(),
  planEname: Type.String(),
  monthMb: Type.Integer(),
  months: Type.Integer(),
  quantity: Type.Integer(),
  payableFen: Fen,
  address: DeliveryAddress,
  remark: Type.String(),
  /** What was shipped: the first and the last of the cards. */
  firstIccid: Nullable(Type.String()),
  lastIccid: Nullable(Type.String()),
  logisticsCompany: Nullable(Type.String()),
  logisticsNo: Nullable(Type.String()),
  shippedAt: Nullable(IsoTime),
  receivedAt: Nullable(IsoTime),
  /** When it counts as received by itself. */
  receivedBy: Nullable(IsoTime),
  /** Of the cards that were received: how many are active by now, and when the first of them expires. */
  active: Type.Integer(),
  expiresAt: Nullable(IsoTime),
  createdAt: IsoTime,
})
export type CardOrderRow = Static<typeof CardOrderRow>

/** The same as the operator sees it. */
export const DeskCardOrder = Type.Object({ ...CardOrderRow.properties, tenantId: Id, companyName: Type.String() })
export type DeskCardOrder = Static<typeof DeskCardOrder>

export const CardSourceView = Type.Object({
  id: Id,
  name: Type.String(),
  carrier: Words(CARRIERS),
  kind: Words(CARRIER_KINDS),
  baseUrl: Type.String(),
  account: Type.String(),
  simulated: Type.Boolean(),
  free: Type.Integer(),
  shipped: Type.Integer(),
  version: Type.Integer(),
})
export type CardSourceView = Static<typeof CardSourceView>

export const StockCardView = Type.Object({
  iccid: Type.String(),
  msisdn: Nullable(Type.String()),
  imsi: Nullable(Type.String()),
  form: Words(SOLD_FORMS),
  use: Words(CARD_USES),
  sourceId: Id,
  sourceName: Type.String(),
  carrier: Words(CARRIERS),
  state: Words(STOCK_STATES),
  orderNo: Nullable(Type.String()),
  companyName: Nullable(Type.String()),
  createdAt: IsoTime,
})
export type StockCardView = Static<typeof StockCardView>

const orderFilters = {
  state: Type.Optional(Words(ORDER_STATES)),
  carrier: Type.Optional(Words(CARRIERS)),
}

const tag = 'Money'
const read = { tag, permission: 'money:read', wholeCompany: true } as const
const pay = { tag, permission: 'money:write', wholeCompany: true } as const

export const cardOrdersContract = {
  list: route({
    ...read,
    method: 'GET',
    path: '/api/v1/card-orders',
    summary: 'Orders of SIM cards with their shipping, the newest first; q: number, ICCID, plan. Sorts: createdAt',
    query: Type.Object({ ...listQuery, ...orderFilters }),
    response: listOf(CardOrderRow),
  }),
  export: route({
    ...read,
    method: 'GET',
    path: '/api/v1/card-orders/export',
    summary: 'The same as a file, at most 100,000',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...orderFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  get: route({
    ...read,
    method: 'GET',
    path: '/api/v1/card-orders/{id}',
    summary: 'One of them',
    params: IdParams,
    response: CardOrderRow,
  }),
  create: route({
    ...pay,
    method: 'POST',
    path: '/api/v1/card-orders',
    summary: 'Orders SIM cards; they are shipped to the address when they are paid for',
    audit: 'purchase_order.create',
    status: 201,
    body: Type.Object(
      {
        sku: Sku,
        quantity: Type.Integer({ minimum: 1, maximum: CARDS_PER_ORDER }),
        form: Words(SOLD_FORMS),
        address: DeliveryAddress,
        remark: Type.Optional(Type.String({ maxLength: 200 })),
      },
      strict,
    ),
    response: OrderView,
  }),
  renew: route({
    ...pay,
    method: 'POST',
    path: '/api/v1/card-orders/renewals',
    summary:
      'Orders a further term for cards that the platform sold, those named or all of an order, of the same plan or of another',
    audit: 'purchase_order.create',
    status: 201,
    body: Type.Object(
      {
        sku: Sku,
        cardIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: CARDS_PER_RENEWAL, uniqueItems: true })),
        /** All cards that came with this order. */
        cardOrderId: Type.Optional(Id),
      },
      strict,
    ),
    response: OrderView,
  }),
  receive: route({
    ...pay,
    method: 'POST',
    path: '/api/v1/card-orders/{id}/receive',
    summary: 'The cards have come: they are added to the SIM cards of the company',
    audit: 'purchase_order.receive',
    params: IdParams,
    response: CardOrderRow,
  }),
}

const look = { tag: 'Operator', permission: 'operator:use' } as const
const desk = { tag: 'Operator', permission: 'operator:write' } as const

const sourceFields = {
  name: Name,
  baseUrl: Type.Optional(Type.String({ format: 'uri', maxLength: 200 })),
  account: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  secretKey: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
}

export const cardDeskContract = {
  orders: route({
    ...look,
    method: 'GET',
    path: '/api/v1/operator/card-orders',
    summary: 'Orders of SIM cards of every company, the newest first',
    query: Type.Object({ ...listQuery, ...orderFilters }),
    response: listOf(DeskCardOrder),
  }),
  ship: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/card-orders/{id}/ship',
    summary: 'Ships the cards of the stock from one ICCID to another: as many as were ordered, all of them free',
    audit: 'purchase_order.ship',
    params: IdParams,
    body: Type.Object(
      {
        from: Iccid,
        to: Iccid,
        logisticsCompany: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }),
        logisticsNo: Type.String({ minLength: 4, maxLength: 64, pattern: '^[0-9A-Za-z-]+$' }),
      },
      strict,
    ),
    response: DeskCardOrder,
  }),
  sources: route({
    ...look,
    method: 'GET',
    path: '/api/v1/operator/card-sources',
    summary: 'Accounts at carriers that the sold cards belong to',
    response: Type.Object({ items: Type.Array(CardSourceView) }),
  }),
  createSource: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/card-sources',
    summary: 'Adds one',
    audit: 'card_source.create',
    status: 201,
    body: Type.Object({ kind: Words(CARRIER_KINDS), ...sourceFields }, strict),
    response: CardSourceView,
  }),
  updateSource: route({
    ...desk,
    method: 'PATCH',
    path: '/api/v1/operator/card-sources/{id}',
    summary: 'Changes it; companies that have cards of it go on with the new credentials',
    audit: 'card_source.update',
    params: IdParams,
    body: Type.Object({ version: Version, ...Type.Partial(Type.Object(sourceFields)).properties }, strict),
    response: CardSourceView,
  }),
  stock: route({
    ...look,
    method: 'GET',
    path: '/api/v1/operator/card-stock',
    summary: 'Cards that are or were for sale, by ICCID; q: ICCID, number, order',
    query: Type.Object({
      ...listQuery,
      state: Type.Optional(Words(STOCK_STATES)),
      carrier: Type.Optional(Words(CARRIERS)),
      form: Type.Optional(Words(SOLD_FORMS)),
    }),
    response: listOf(StockCardView),
  }),
  addStock: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/card-stock',
    summary:
      'Adds cards to the stock; each line is checked for itself, what is wrong is named and the others are added',
    audit: 'card_stock.create',
    body: Type.Object(
      {
        sourceId: Id,
        form: Words(SOLD_FORMS),
        use: Words(CARD_USES),
        cards: Type.Array(
          Type.Object(
            {
              iccid: Type.String({ maxLength: 64 }),
              msisdn: Type.Optional(Type.String({ maxLength: 64 })),
              imsi: Type.Optional(Type.String({ maxLength: 64 })),
            },
            strict,
          ),
          { minItems: 1, maxItems: CARDS_PER_ORDER },
        ),
      },
      strict,
    ),
    response: Type.Object({
      added: Type.Integer(),
      problems: Type.Array(Type.Object({ line: Type.Integer(), value: Type.String(), message: Type.String() })),
    }),
  }),
  removeStock: route({
    ...desk,
    method: 'DELETE',
    path: '/api/v1/operator/card-stock/{iccid}',
    summary: 'Takes a free card out of the stock',
    audit: 'card_stock.remove',
    params: Type.Object({ iccid: Iccid }),
    response: Ok,
  }),
}
