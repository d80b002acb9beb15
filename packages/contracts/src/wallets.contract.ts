import { type Static, Type } from 'typebox'
import { Id, IsoTime, listOf, listQuery, Nullable, Version, Words } from './common.ts'
import { CHARGE_ITEMS, ENTRY_KINDS, UNIT_KINDS, UNIT_USE_STATES } from './money.words.ts'
import { route } from './route.ts'

export const Fen = Type.Integer({
  minimum: -9_007_199_254_740_991,
  maximum: 9_007_199_254_740_991,
  description: 'Money in fen, a hundredth of a yuan',
})

export const WalletView = Type.Object({
  id: Id,
  availableFen: Fen,
  frozenFen: Fen,
  creditFen: Fen,
  warnFen: Nullable(Fen),
  /** Texts and calls of alarms of level 5 are paid from the balance when no units are left. */
  urgentOnBalance: Type.Boolean(),
  version: Type.Integer(),
})
export type WalletView = Static<typeof WalletView>

export const UnitBatchView = Type.Object({
  id: Id,
  kind: Words(UNIT_KINDS),
  total: Type.Integer(),
  left: Type.Integer(),
  gift: Type.Boolean(),
  orderId: Nullable(Id),
  orderNo: Type.String(),
  expiresAt: IsoTime,
  createdAt: IsoTime,
})
export type UnitBatchView = Static<typeof UnitBatchView>

export const UnitsView = Type.Object({
  kind: Words(UNIT_KINDS),
  /** Of the batches that have not ended. */
  left: Type.Integer(),
  total: Type.Integer(),
  /** Used in the last 30 days. */
  used30: Type.Integer(),
  batches: Type.Array(UnitBatchView),
})
export type UnitsView = Static<typeof UnitsView>

export const EntryView = Type.Object({
  id: Type.String(),
  no: Type.String(),
  at: IsoTime,
  kind: Words(ENTRY_KINDS),
  amountFen: Fen,
  beforeFen: Fen,
  afterFen: Fen,
  causeKind: Type.String(),
  causeId: Type.String(),
  causeNo: Type.String(),
  actorName: Type.String(),
  remark: Type.String(),
})
export type EntryView = Static<typeof EntryView>

const entryFilters = {
  kind: Type.Optional(Words(ENTRY_KINDS)),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
}

export const ConsumptionView = Type.Object({
  id: Id,
  at: IsoTime,
  item: Words(CHARGE_ITEMS),
  quantity: Type.Integer(),
  unit: Type.String(),
  unitPriceFen: Fen,
  amountFen: Fen,
  balanceAfterFen: Nullable(Fen),
  objectKind: Type.String(),
  objectId: Type.String(),
  objectName: Type.String(),
  periodFrom: Nullable(IsoTime),
  periodTo: Nullable(IsoTime),
  orderId: Nullable(Id),
  orderNo: Type.String(),
})
export type ConsumptionView = Static<typeof ConsumptionView>

const consumptionFilters = {
  item: Type.Optional(Words(CHARGE_ITEMS)),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
}

export const UnitUseView = Type.Object({
  id: Id,
  at: IsoTime,
  kind: Words(UNIT_KINDS),
  state: Words(UNIT_USE_STATES),
  units: Type.Integer({ description: 'Texts that a carrier counts, or calls' }),
  address: Type.String({ description: 'The number it went to, its middle hidden; empty when its record is gone' }),
  contact: Type.String(),
  trigger: Type.String({ description: 'Of the alarm' }),
  content: Type.String(),
  receipt: Nullable(Type.String({ description: 'What the carrier reported: delivered or failed' })),
  reason: Nullable(Type.String({ description: 'Why it was not sent, or not received' })),
})
export type UnitUseView = Static<typeof UnitUseView>

const unitFilters = {
  kind: Type.Optional(Words(UNIT_KINDS)),
  state: Type.Optional(Words(UNIT_USE_STATES)),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
}

export const StatementRow = Type.Object({
  /** The first day of the span, `2026-11-01`, in the company's time zone. */
  day: Type.String(),
  /** What it is split by: an item, or an object. */
  key: Type.String(),
  name: Type.String(),
  quantity: Type.Integer(),
  amountFen: Fen,
})
export type StatementRow = Static<typeof StatementRow>

const tag = 'Money'

export const walletsContract = {
  settings: route({
    method: 'PATCH',
    path: '/api/v1/assets/settings',
    tag,
    summary: 'Below which balance the company is told (null: never), and whether urgent alarms may be paid from it',
    permission: 'money:write',
    audit: 'wallet.update',
    wholeCompany: true,
    body: Type.Object(
      {
        version: Version,
        warnFen: Nullable(Type.Integer({ minimum: 0, maximum: 100_000_000_000 })),
        urgentOnBalance: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    example: { body: { version: 1, warnFen: 100_000 } },
    response: WalletView,
  }),
  entries: route({
    method: 'GET',
    path: '/api/v1/balance/entries',
    tag,
    summary: 'Movements of the balance, the newest first; q: number, order or remark',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({ ...listQuery, ...entryFilters }),
    response: listOf(EntryView),
  }),
  exportEntries: route({
    method: 'GET',
    path: '/api/v1/balance/entries/export',
    tag,
    summary: 'The same as a file, at most 100,000',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...entryFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  balanceStatement: route({
    method: 'GET',
    path: '/api/v1/balance/statement',
    tag,
    summary:
      'The movements of a month as a PDF, in the time zone of the company; a statement of account, not an invoice',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({
      month: Type.String({ pattern: '^20\\d{2}-(0[1-9]|1[0-2])$', description: 'Such as `2026-11`' }),
    }),
    response: Type.String(),
    produces: 'application/pdf',
  }),
  consumption: route({
    method: 'GET',
    path: '/api/v1/consumption',
    tag,
    summary: 'What was charged, the newest first; q: object or order',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({ ...listQuery, ...consumptionFilters }),
    response: listOf(ConsumptionView),
  }),
  exportConsumption: route({
    method: 'GET',
    path: '/api/v1/consumption/export',
    tag,
    summary: 'The same as a file, at most 100,000',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...consumptionFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  unitUses: route({
    method: 'GET',
    path: '/api/v1/unit-uses',
    tag,
    summary: 'Texts and calls that took units, the newest first; q: address',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({ ...listQuery, ...unitFilters }),
    response: listOf(UnitUseView),
  }),
  exportUnitUses: route({
    method: 'GET',
    path: '/api/v1/unit-uses/export',
    tag,
    summary: 'The same as a file, at most 100,000',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...unitFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  statements: route({
    method: 'GET',
    path: '/api/v1/statements',
    tag,
    summary: 'Bills by day or month in the time zone of the company, split by item or by object',
    permission: 'money:read',
    wholeCompany: true,
    query: Type.Object({
      by: Words(['day', 'month']),
      split: Words(['item', 'object']),
      from: IsoTime,
      to: IsoTime,
    }),
    response: Type.Object({ items: Type.Array(StatementRow), totalFen: Fen, truncated: Type.Boolean() }),
  }),
}
