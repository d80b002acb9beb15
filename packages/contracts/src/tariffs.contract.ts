import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { TARIFF_KINDS } from './tariffs.words.ts'

const closed = { additionalProperties: false } as const
const tag = 'Tariffs'
const base = '/api/v1/tariffs'
const read = { tag, permission: 'money:read', wholeCompany: true } as const
const write = { tag, permission: 'money:write', wholeCompany: true } as const
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })

export const Day = Type.String({
  pattern: '^(?:19|20)\\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
  description: 'A day in the time zone of the company',
})
const Price = Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,6})?$', description: 'Yuan for one unit' })
const Time = Type.String({ pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$|^24:00$' })
const Place = Type.Integer({ minimum: 0, maximum: 9 })

export const Rates = Type.Union([
  Type.Object({ kind: Type.Literal('fixed'), price: Price }, closed),
  Type.Object(
    {
      kind: Type.Literal('steps'),
      steps: Type.Array(
        Type.Object(
          {
            upTo: Nullable(
              Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,3})?$', description: 'Of what is used in a month' }),
            ),
            price: Price,
          },
          closed,
        ),
        { minItems: 1, maxItems: 10, description: 'Each ends higher than the one before; the last has no end' },
      ),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('time_of_use'),
      bands: Type.Array(Type.Object({ name: Text(32), price: Price }, closed), { minItems: 1, maxItems: 10 }),
      spans: Type.Array(
        Type.Object(
          {
            weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
              minItems: 1,
              maxItems: 7,
              uniqueItems: true,
              description: '1 Monday to 7 Sunday',
            }),
            from: Time,
            to: Time,
            band: Place,
          },
          closed,
        ),
        { maxItems: 48, description: 'On a weekday they do not overlap' },
      ),
      otherwise: { ...Place, description: 'The band of all other times' },
    },
    closed,
  ),
])
export type Rates = Static<typeof Rates>

const version = { validFrom: Day, validTo: Type.Optional(Nullable(Day)), rates: Rates }

export const TariffVersionView = Type.Object({
  id: Id,
  validFrom: Type.String(),
  validTo: Nullable(Type.String()),
  rates: Rates,
  byName: Type.String(),
  createdAt: IsoTime,
})
export type TariffVersionView = Static<typeof TariffVersionView>

export const TariffRow = Type.Object({
  id: Id,
  name: Type.String(),
  unit: Type.String(),
  remark: Type.String(),
  kind: Nullable(Words(TARIFF_KINDS, { description: 'Of the version that holds today' })),
  meters: Type.Integer(),
  createdAt: IsoTime,
  version: Type.Integer(),
})
export type TariffRow = Static<typeof TariffRow>

export const TariffView = Type.Object({ ...TariffRow.properties, versions: Type.Array(TariffVersionView) })
export type TariffView = Static<typeof TariffView>

const versionParams = Type.Object({ id: Id, versionId: Id })

export const tariffsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'Tariffs by which end users are charged, the newest first; q: part of the name',
    query: Type.Object({ ...listQuery }),
    response: listOf(TariffRow),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: base,
    summary: 'Adds a tariff with its first prices',
    audit: 'tariff.create',
    status: 201,
    body: Type.Object(
      { name: Text(64), unit: Text(16), remark: Type.Optional(Type.String({ maxLength: 200 })), ...version },
      closed,
    ),
    example: {
      body: { name: 'Water', unit: 'm³', validFrom: '2026-01-01', rates: { kind: 'fixed', price: '3.25' } },
    },
    response: TariffView,
  }),
  get: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'One tariff with all its prices',
    params: IdParams,
    response: TariffView,
  }),
  update: route({
    ...write,
    method: 'PATCH',
    path: `${base}/{id}`,
    summary: 'Renames it; statements keep what they say',
    audit: 'tariff.update',
    params: IdParams,
    body: Type.Object(
      {
        name: Type.Optional(Text(64)),
        unit: Type.Optional(Text(16)),
        remark: Type.Optional(Type.String({ maxLength: 200 })),
        version: Version,
      },
      closed,
    ),
    example: { params: { id: '{{create.id}}' }, body: { remark: 'Households', version: '{{create.version}}' } },
    response: TariffView,
  }),
  addVersion: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/versions`,
    summary: 'Adds prices for another time; the version before, if it has no end, ends the day before',
    audit: 'tariff.price',
    params: IdParams,
    status: 201,
    body: Type.Object({ ...version, endBefore: Type.Optional(Type.Boolean()) }, closed),
    example: {
      params: { id: '{{create.id}}' },
      body: { validFrom: '2027-01-01', rates: { kind: 'fixed', price: '3.5' }, endBefore: true },
    },
    response: TariffView,
  }),
  removeVersion: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}/versions/{versionId}`,
    summary: 'Removes prices by which nothing was billed',
    audit: 'tariff.price',
    params: versionParams,
    response: TariffView,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Removes a tariff that no meter has',
    audit: 'tariff.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
