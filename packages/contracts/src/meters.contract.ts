import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { Day } from './tariffs.contract.ts'
import { GAP_MODES, LINE_KINDS, MARK_KINDS, METER_MODES, METER_PROBLEMS, READING_KINDS } from './tariffs.words.ts'
import { Fen } from './wallets.contract.ts'

const closed = { additionalProperties: false } as const
const tag = 'Meters'
const base = '/api/v1/meters'
const read = { tag, permission: 'money:read', wholeCompany: true } as const
const write = { tag, permission: 'money:write', wholeCompany: true } as const
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
const Value = Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,9})?$', description: 'What the register shows' })
const Switch = Type.Union([Type.Boolean(), Type.Number(), Type.String({ maxLength: 64 })])
export const Month = Type.String({ pattern: '^20\\d{2}-(?:0[1-9]|1[0-2])$', description: 'YYYY-MM' })

export const MeterRow = Type.Object({
  id: Id,
  name: Type.String(),
  deviceId: Nullable(Id),
  deviceName: Type.String(),
  property: Type.String(),
  factor: Type.String(),
  endUserId: Nullable(Id),
  endUserName: Type.String(),
  tariffId: Id,
  tariffName: Type.String(),
  unit: Type.String(),
  mode: Words(METER_MODES),
  fromDay: Type.String(),
  toDay: Nullable(Type.String()),
  startValue: Nullable(Type.String()),
  rollover: Nullable(Type.String()),
  gapMinutes: Type.Integer(),
  gapMode: Words(GAP_MODES),
  cutProperty: Nullable(Type.String()),
  cutValue: Nullable(Switch),
  restoreValue: Nullable(Switch),
  drawnFen: Fen,
  billedTo: Nullable(IsoTime),
  billedValue: Nullable(Type.String()),
  problem: Nullable(
    Type.Object({
      code: Words(METER_PROBLEMS),
      from: Type.Optional(IsoTime),
      to: Type.Optional(IsoTime),
      before: Type.Optional(Type.String()),
      after: Type.Optional(Type.String()),
      message: Type.String(),
    }),
  ),
  createdAt: IsoTime,
  version: Type.Integer(),
})
export type MeterRow = Static<typeof MeterRow>

export const MeterView = Type.Object({
  ...MeterRow.properties,
  resets: Type.Array(
    Type.Object({
      id: Id,
      at: IsoTime,
      finalValue: Nullable(Type.String()),
      startValue: Type.String(),
      remark: Type.String(),
      byName: Type.String(),
    }),
  ),
})
export type MeterView = Static<typeof MeterView>

export const StatementLine = Type.Object({
  kind: Words(LINE_KINDS),
  name: Type.String(),
  quantity: Type.String(),
  estimated: Type.String(),
  price: Type.String(),
  amountFen: Fen,
})
export type StatementLine = Static<typeof StatementLine>

export const StatementMark = Type.Object({
  kind: Words(MARK_KINDS),
  from: IsoTime,
  to: IsoTime,
  quantity: Type.String(),
})
export type StatementMark = Static<typeof StatementMark>

export const MeterPreview = Type.Object({
  fromAt: IsoTime,
  toAt: IsoTime,
  fromValue: Type.String(),
  toValue: Type.String(),
  quantity: Type.String(),
  openQuantity: Type.String(),
  lines: Type.Array(StatementLine),
  marks: Type.Array(StatementMark),
  amountFen: Fen,
})
export type MeterPreview = Static<typeof MeterPreview>

const filters = {
  mode: Type.Optional(Words(METER_MODES)),
  tariffId: Type.Optional(Id),
  endUserId: Type.Optional(Id),
  problem: Type.Optional(Words(['0', '1'])),
}
const settings = {
  name: Text(64),
  factor: Type.Optional(Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,6})?$', description: 'Ratio of a transformer; 1' })),
  endUserId: Id,
  tariffId: Id,
  mode: Words(METER_MODES),
  toDay: Type.Optional(Nullable(Day)),
  rollover: Type.Optional(Nullable(Value)),
  gapMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 44_640 })),
  gapMode: Type.Optional(Words(GAP_MODES)),
  cutProperty: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 64, description: 'What cuts the device off; prepaid only' })),
  ),
  cutValue: Type.Optional(Nullable(Switch)),
  restoreValue: Type.Optional(Nullable(Switch)),
}

export const metersContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'Meters of end users, the newest first; q: part of the name, the device or the end user',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(MeterRow),
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
  create: route({
    ...write,
    method: 'POST',
    path: base,
    summary: 'Makes a property that counts up a meter of an end user',
    audit: 'meter.create',
    status: 201,
    body: Type.Object(
      {
        ...settings,
        deviceId: Id,
        property: Text(64),
        fromDay: Day,
        startValue: Type.Optional(
          Nullable({ ...Value, description: 'At the begin of the first day; absent: the first reading' }),
        ),
      },
      closed,
    ),
    response: MeterView,
  }),
  get: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'One meter with its declared resets',
    params: IdParams,
    response: MeterView,
  }),
  update: route({
    ...write,
    method: 'PATCH',
    path: `${base}/{id}`,
    summary: 'Changes how it is charged from the next statement on',
    audit: 'meter.update',
    params: IdParams,
    body: Type.Object({ ...Type.Partial(Type.Object(settings)).properties, version: Version }, closed),
    response: MeterView,
  }),
  addReset: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/resets`,
    summary: 'Says that the register was set or exchanged, so that its fall is no error',
    audit: 'meter.reset',
    params: IdParams,
    status: 201,
    body: Type.Object(
      {
        at: IsoTime,
        finalValue: Type.Optional(Nullable(Value)),
        startValue: Type.Optional(Value),
        remark: Type.Optional(Type.String({ maxLength: 200 })),
      },
      closed,
    ),
    response: MeterView,
  }),
  removeReset: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}/resets/{resetId}`,
    summary: 'Takes such a word back, if nothing was billed by it',
    audit: 'meter.reset',
    params: Type.Object({ id: Id, resetId: Id }),
    response: MeterView,
  }),
  readings: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/readings`,
    summary: 'What was read, interval by interval, with what is wrong with it; at most 31 days and 5,000 intervals',
    params: IdParams,
    query: Type.Object({ from: IsoTime, to: IsoTime, only: Type.Optional(Words(['marked'])) }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          from: IsoTime,
          to: IsoTime,
          before: Type.String(),
          after: Type.String(),
          quantity: Nullable(Type.String()),
          kind: Words(READING_KINDS),
          gap: Type.Boolean(),
        }),
      ),
      truncated: Type.Boolean(),
    }),
  }),
  preview: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/preview`,
    summary: 'What a statement of the month would say now; nothing is kept',
    params: IdParams,
    query: Type.Object({ month: Month }),
    response: MeterPreview,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Removes a meter; its statements stay',
    audit: 'meter.remove',
    params: IdParams,
    response: Ok,
  }),
}
