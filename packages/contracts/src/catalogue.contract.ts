import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Nullable, Version, Words } from './common.ts'
import { CompanyQuotas } from './company-settings.ts'
import { CATALOGUE_KINDS, CATALOGUE_STATES, EXPANDABLE, SOLD_FORMS, UNIT_KINDS } from './money.words.ts'
import { route } from './route.ts'
import { CARD_USES, CARRIERS } from './sim-cards.words.ts'
import { Fen } from './wallets.contract.ts'

const Price = Type.Integer({ minimum: 0, maximum: 100_000_000_000, description: 'Fen' })

/** What a plan gives: a term of some months with quotas. */
export const PlanSpec = Type.Object(
  { months: Type.Integer({ minimum: 1, maximum: 36 }), quotas: Type.Partial(CompanyQuotas) },
  { additionalProperties: false },
)
export type PlanSpec = Static<typeof PlanSpec>

/** More of one quota, for each month until the plan ends. */
export const ExpansionSpec = Type.Object(
  {
    quota: Words(EXPANDABLE),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }),
  },
  { additionalProperties: false },
)
export type ExpansionSpec = Static<typeof ExpansionSpec>

/** Messages or calls, and how long they last. */
export const PackSpec = Type.Object(
  {
    units: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    gift: Type.Integer({ minimum: 0, maximum: 10_000_000 }),
    months: Type.Integer({ minimum: 1, maximum: 60 }),
  },
  { additionalProperties: false },
)
export type PackSpec = Static<typeof PackSpec>

/** A data plan with its SIM card: the price is that of the term, the card itself is paid once. */
export const SimSpec = Type.Object(
  {
    carrier: Words(CARRIERS),
    use: Words(CARD_USES),
    forms: Type.Array(Words(SOLD_FORMS), { minItems: 1, uniqueItems: true }),
    /** Data a month, in MB; of all cards together where it is a pool. */
    monthMb: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    months: Type.Integer({ minimum: 1, maximum: 60 }),
    cardFen: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  },
  { additionalProperties: false },
)
export type SimSpec = Static<typeof SimSpec>

export const CatalogueSpec = Type.Union([PlanSpec, ExpansionSpec, PackSpec, SimSpec])
export type CatalogueSpec = Static<typeof CatalogueSpec>

export const CatalogueItem = Type.Object({
  id: Id,
  sku: Type.String(),
  kind: Words(CATALOGUE_KINDS),
  name: Type.String(),
  ename: Type.String(),
  text: Type.String(),
  etext: Type.String(),
  spec: CatalogueSpec,
  priceFen: Fen,
  state: Words(CATALOGUE_STATES),
  position: Type.Integer(),
  version: Type.Integer(),
})
export type CatalogueItem = Static<typeof CatalogueItem>

const editable = {
  name: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }),
  ename: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }),
  text: Type.String({ maxLength: 500 }),
  etext: Type.String({ maxLength: 500 }),
  spec: CatalogueSpec,
  priceFen: Price,
  state: Words(CATALOGUE_STATES),
  position: Type.Integer({ minimum: 0, maximum: 10_000 }),
}

export const catalogueContract = {
  published: route({
    method: 'GET',
    path: '/api/v1/catalogue',
    tag: 'Money',
    summary: 'What the platform sells, for everybody',
    permission: 'public',
    response: Type.Object({ items: Type.Array(CatalogueItem) }),
  }),
  list: route({
    method: 'GET',
    path: '/api/v1/operator/catalogue',
    tag: 'Operator',
    summary: 'All that is or was sold, drafts too',
    permission: 'operator:use',
    response: Type.Object({ items: Type.Array(CatalogueItem) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/operator/catalogue',
    tag: 'Operator',
    summary: 'Adds something to sell',
    permission: 'operator:write',
    audit: 'catalogue_item.create',
    status: 201,
    body: Type.Object(
      {
        sku: Type.String({ pattern: '^[a-z][a-z0-9-]{1,39}$' }),
        kind: Words(CATALOGUE_KINDS),
        ...editable,
      },
      { additionalProperties: false },
    ),
    response: CatalogueItem,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/operator/catalogue/{id}',
    tag: 'Operator',
    summary: 'Changes it; orders that are there keep what they were made of',
    permission: 'operator:write',
    audit: 'catalogue_item.update',
    params: IdParams,
    body: Type.Object(
      { version: Version, ...Type.Partial(Type.Object(editable)).properties },
      { additionalProperties: false },
    ),
    response: CatalogueItem,
  }),
  prices: route({
    method: 'GET',
    path: '/api/v1/operator/catalogue/{id}/prices',
    tag: 'Operator',
    summary: 'What it cost, the newest first',
    permission: 'operator:use',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(Type.Object({ priceFen: Fen, by: Type.String(), at: IsoTime })),
    }),
  }),
}

/** What an order holds of it: as it was when the order was made. */
export const OrderItem = Type.Object({
  itemId: Nullable(Id),
  sku: Type.String(),
  kind: Words([...CATALOGUE_KINDS, 'top_up']),
  name: Type.String(),
  ename: Type.String(),
  spec: Nullable(CatalogueSpec),
  quantity: Type.Integer(),
  priceFen: Fen,
  amountFen: Fen,
  /** Why the amount is not price times quantity. */
  prorated: Type.Optional(Type.Object({ from: IsoTime, to: IsoTime, creditFen: Fen })),
})
export type OrderItem = Static<typeof OrderItem>

export const UnitKindSchema = Words(UNIT_KINDS)
