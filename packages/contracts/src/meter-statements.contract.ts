import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Words } from './common.ts'
import { Month, StatementLine, StatementMark } from './meters.contract.ts'
import { ENTRY_KINDS } from './money.words.ts'
import { route } from './route.ts'
import { BILLING_STATES, METER_MODES, STATEMENT_STATES } from './tariffs.words.ts'
import { Fen } from './wallets.contract.ts'

const closed = { additionalProperties: false } as const
const tag = 'Meter statements'
const base = '/api/v1/meter-statements'
const read = { tag, permission: 'money:read', wholeCompany: true } as const
const write = { tag, permission: 'money:write', wholeCompany: true } as const

export const MeterStatementRow = Type.Object({
  id: Id,
  no: Type.String(),
  month: Type.String(),
  meterId: Nullable(Id),
  meterName: Type.String(),
  deviceName: Type.String(),
  endUserId: Id,
  endUserName: Type.String(),
  mode: Words(METER_MODES),
  tariffName: Type.String(),
  unit: Type.String(),
  fromAt: IsoTime,
  toAt: IsoTime,
  quantity: Type.String(),
  openQuantity: Type.String(),
  estimated: Type.Boolean(),
  amountFen: Fen,
  paidFen: Fen,
  state: Words(STATEMENT_STATES),
  issuedAt: IsoTime,
})
export type MeterStatementRow = Static<typeof MeterStatementRow>

export const MeterStatementView = Type.Object({
  ...MeterStatementRow.properties,
  property: Type.String(),
  factor: Type.String(),
  fromValue: Type.String(),
  toValue: Type.String(),
  lines: Type.Array(StatementLine),
  marks: Type.Array(StatementMark),
  dueAt: Nullable(IsoTime),
  voidReason: Nullable(Type.String()),
})
export type MeterStatementView = Static<typeof MeterStatementView>

export const BillingRunView = Type.Object({
  id: Id,
  month: Type.String(),
  state: Words(BILLING_STATES),
  taskId: Nullable(Id),
  meters: Type.Integer(),
  statements: Type.Integer(),
  failed: Type.Integer(),
  amountFen: Fen,
  byName: Type.String(),
  createdAt: IsoTime,
  endedAt: Nullable(IsoTime),
})
export type BillingRunView = Static<typeof BillingRunView>

const filters = {
  month: Type.Optional(Month),
  state: Type.Optional(Words(STATEMENT_STATES)),
  mode: Type.Optional(Words(METER_MODES)),
  meterId: Type.Optional(Id),
  endUserId: Type.Optional(Id),
}

export const meterStatementsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'Statements of meters, the newest first; q: number, meter or end user',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(MeterStatementRow),
  }),
  export: route({
    ...read,
    method: 'GET',
    path: `${base}/export`,
    summary: 'The same as a file, at most 100,000',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  get: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'One statement with its lines and what is marked in it',
    params: IdParams,
    response: MeterStatementView,
  }),
  bill: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/bill`,
    summary: 'The statement as a PDF for the customer; no invoice',
    params: IdParams,
    response: Type.String(),
    produces: 'application/pdf',
  }),
  void: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/void`,
    summary: 'Takes back the last statement of a meter: its amount goes back, and the time is billed anew',
    audit: 'meter_statement.void',
    params: IdParams,
    body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }) }, closed),
    response: MeterStatementView,
  }),
}

export const billingRunsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: '/api/v1/billing-runs',
    summary: 'What was billed when, the newest first (at most 50)',
    response: Type.Object({ items: Type.Array(BillingRunView) }),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: '/api/v1/billing-runs',
    summary: 'Bills a month that is over, by a task; meters that have a statement of it are left as they are',
    audit: 'billing_run.create',
    status: 201,
    body: Type.Object({ month: Month }, closed),
    response: BillingRunView,
  }),
}

export const MeterAccountRow = Type.Object({
  endUserId: Id,
  name: Type.String(),
  meters: Type.Integer(),
  balanceFen: Type.Integer({ description: 'Below 0: what is owed, in fen' }),
  owedFen: Fen,
})
export type MeterAccountRow = Static<typeof MeterAccountRow>

export const MeterEntry = Type.Object({
  id: Type.String(),
  no: Type.String(),
  at: IsoTime,
  kind: Words(ENTRY_KINDS),
  amountFen: Fen,
  afterFen: Fen,
  causeNo: Type.String(),
  remark: Type.String(),
})
export type MeterEntry = Static<typeof MeterEntry>

const UserParams = Type.Object({ endUserId: Id })

export const meterAccountsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: '/api/v1/meter-accounts',
    summary: 'Balances of end users who have or had a meter, the lowest first; q: part of the name',
    query: Type.Object({ ...listQuery }),
    response: listOf(MeterAccountRow),
  }),
  get: route({
    ...read,
    method: 'GET',
    path: '/api/v1/meter-accounts/{endUserId}',
    summary: 'The balance of an end user',
    params: UserParams,
    response: MeterAccountRow,
  }),
  entries: route({
    ...read,
    method: 'GET',
    path: '/api/v1/meter-accounts/{endUserId}/entries',
    summary: 'What moved it, the newest first',
    params: UserParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(MeterEntry),
  }),
}

const own = { tag: 'Own meters', permission: 'signed-in' } as const

export const ownMetersContract = {
  account: route({
    ...own,
    method: 'GET',
    path: '/api/v1/me/metering',
    summary: 'An end user about himself: his balance and his meters',
    response: Type.Object({
      ...MeterAccountRow.properties,
      items: Type.Array(
        Type.Object({
          id: Id,
          name: Type.String(),
          deviceName: Type.String(),
          tariffName: Type.String(),
          unit: Type.String(),
          mode: Words(METER_MODES),
          billedTo: Nullable(IsoTime),
          billedValue: Nullable(Type.String()),
        }),
      ),
    }),
  }),
  statements: route({
    ...own,
    method: 'GET',
    path: '/api/v1/me/metering/statements',
    summary: 'His statements, the newest first',
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(MeterStatementRow),
  }),
  statement: route({
    ...own,
    method: 'GET',
    path: '/api/v1/me/metering/statements/{id}',
    summary: 'One of his statements',
    params: IdParams,
    response: MeterStatementView,
  }),
  bill: route({
    ...own,
    method: 'GET',
    path: '/api/v1/me/metering/statements/{id}/bill',
    summary: 'One of his statements as a PDF; no invoice',
    params: IdParams,
    response: Type.String(),
    produces: 'application/pdf',
  }),
  entries: route({
    ...own,
    method: 'GET',
    path: '/api/v1/me/metering/entries',
    summary: 'What moved his balance, the newest first',
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(MeterEntry),
  }),
}
