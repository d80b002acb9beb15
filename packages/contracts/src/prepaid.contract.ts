import { type Static, Type } from 'typebox'
import { Id, IsoTime, listOf, listQuery, Nullable, Words } from './common.ts'
import { ONLINE_PROVIDERS, PAY_FORMS, TOP_UP_FEN } from './money.words.ts'
import { route } from './route.ts'
import { CUTOFF_STATES, METER_PAYMENT_STATES, METER_PAYMENT_WAYS, ONLINE_WAYS } from './tariffs.words.ts'
import { Fen } from './wallets.contract.ts'

const closed = { additionalProperties: false } as const
const read = { tag: 'Meters', permission: 'money:read', wholeCompany: true } as const
const write = { tag: 'Meters', permission: 'money:write', wholeCompany: true } as const
const own = { tag: 'Own meters', permission: 'signed-in' } as const
const Time = Type.String({ pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$|^24:00$' })
const Amount = Type.Integer({ minimum: TOP_UP_FEN.least, maximum: TOP_UP_FEN.most, description: 'In fen' })

const settings = {
  online: Words(ONLINE_WAYS),
  drawMinutes: Type.Integer({ minimum: 1, maximum: 1440, description: 'How often prepaid meters are drawn' }),
  lowFen: Type.Integer({ minimum: 0, maximum: TOP_UP_FEN.most, description: 'Below this an end user is warned' }),
  waitMinutes: Type.Integer({ minimum: 0, maximum: 44_640, description: 'From the notice until the cut-off' }),
  freshMinutes: Type.Integer({ minimum: 1, maximum: 1440, description: 'Older readings cut nothing off' }),
  protected: Type.Array(Type.Object({ from: Time, to: Time }, closed), {
    maxItems: 10,
    description: 'Times of the day in which nothing is cut off',
  }),
  dueDays: Type.Integer({ minimum: 0, maximum: 365, description: 'Until a statement is to be paid' }),
}
export const MeterSettings = Type.Object({ ...settings, version: Type.Integer() })
export type MeterSettings = Static<typeof MeterSettings>

export const meterSettingsContract = {
  get: route({
    ...read,
    method: 'GET',
    path: '/api/v1/meter-settings',
    summary: 'How end users pay, and when prepaid meters are cut off',
    response: MeterSettings,
  }),
  set: route({
    ...write,
    method: 'PATCH',
    path: '/api/v1/meter-settings',
    summary: 'Changes it',
    audit: 'meter.settings',
    body: Type.Object(
      { ...Type.Partial(Type.Object(settings)).properties, version: Type.Integer({ minimum: 0 }) },
      closed,
    ),
    example: { body: { waitMinutes: 720, version: 0 } },
    response: MeterSettings,
  }),
}

export const MeterPayment = Type.Object({
  id: Id,
  no: Type.String(),
  endUserId: Id,
  way: Words(METER_PAYMENT_WAYS),
  state: Words(METER_PAYMENT_STATES),
  amountFen: Fen,
  remark: Type.String(),
  byName: Type.String(),
  createdAt: IsoTime,
  paidAt: Nullable(IsoTime),
  codeUrl: Nullable(Type.String({ description: 'What a phone scans' })),
  pageUrl: Nullable(Type.String({ description: 'Where the browser goes' })),
  expiresAt: Nullable(IsoTime),
})
export type MeterPayment = Static<typeof MeterPayment>

export const MeterCutoff = Type.Object({
  id: Id,
  meterId: Id,
  meterName: Type.String(),
  endUserId: Id,
  endUserName: Type.String(),
  state: Words(CUTOFF_STATES),
  waits: Nullable(Words(['protected', 'stale'])),
  reason: Nullable(Type.String()),
  noticedAt: IsoTime,
  cutAt: Nullable(IsoTime),
  restoredAt: Nullable(IsoTime),
})
export type MeterCutoff = Static<typeof MeterCutoff>

export const meterPaymentsContract = {
  record: route({
    ...write,
    method: 'POST',
    path: '/api/v1/meter-accounts/{endUserId}/payments',
    summary: 'Writes down what an end user paid offline; the same key is booked once',
    audit: 'meter_payment.record',
    params: Type.Object({ endUserId: Id }),
    status: 201,
    body: Type.Object(
      {
        amountFen: Amount,
        remark: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'How it was paid' }),
        key: Type.Optional(Id),
      },
      closed,
    ),
    response: MeterPayment,
  }),
  cutoffs: route({
    ...read,
    method: 'GET',
    path: '/api/v1/meter-cutoffs',
    summary: 'Cut-offs, the newest first',
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor, endUserId: Type.Optional(Id) }),
    response: listOf(MeterCutoff),
  }),
}

export const ownPaymentsContract = {
  ways: route({
    ...own,
    method: 'GET',
    path: '/api/v1/me/metering/ways',
    summary: 'How an end user can pay his company here, and what is cut off now',
    response: Type.Object({
      online: Words(ONLINE_WAYS),
      providers: Type.Array(Words(ONLINE_PROVIDERS)),
      cutoffs: Type.Array(MeterCutoff),
    }),
  }),
  pay: route({
    ...own,
    method: 'POST',
    path: '/api/v1/me/metering/payments',
    summary: 'Begins a payment to the company',
    audit: 'meter_payment.create',
    status: 201,
    body: Type.Object(
      {
        amountFen: Amount,
        provider: Type.Optional(Words(ONLINE_PROVIDERS, { description: 'Where the company has a merchant account' })),
        form: Type.Optional(Words(PAY_FORMS)),
      },
      closed,
    ),
    response: MeterPayment,
  }),
  payment: route({
    ...own,
    method: 'GET',
    path: '/api/v1/me/metering/payments/{id}',
    summary: 'One of his payments, as it stands',
    params: Type.Object({ id: Id }),
    response: MeterPayment,
  }),
  simulate: route({
    ...own,
    method: 'POST',
    path: '/api/v1/me/metering/payments/{id}/simulate',
    summary: 'What the simulated provider says of it; only where the company chose that provider',
    audit: 'meter_payment.simulate',
    params: Type.Object({ id: Id }),
    body: Type.Object({ outcome: Words(['paid', 'failed']) }, closed),
    response: MeterPayment,
  }),
}
