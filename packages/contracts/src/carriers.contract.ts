import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Name, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { CARRIER_KINDS, CARRIERS, CONNECTION_STATES } from './sim-cards.words.ts'

const strict = { additionalProperties: false } as const

export const CarrierView = Type.Object({
  id: Id,
  name: Type.String(),
  carrier: Words(CARRIERS),
  kind: Words(CARRIER_KINDS),
  baseUrl: Type.String(),
  account: Type.String(),
  /** The simulated carrier of the demo company. */
  simulated: Type.Boolean(),
  state: Words(CONNECTION_STATES),
  /** The carrier's own words of the last test or request that failed. */
  fault: Nullable(Type.Object({ kind: Type.String(), code: Type.String(), text: Type.String() })),
  testedAt: Nullable(IsoTime),
  cooldownSeconds: Type.Integer(),
  perSecond: Type.Number(),
  clock: Words(['shanghai', 'utc']),
  signedBody: Words(['raw', 'sorted']),
  alerts: Type.Object({
    percents: Type.Array(Type.Integer()),
    stopAt: Nullable(Type.Integer()),
    offlineDays: Nullable(Type.Integer()),
  }),
  cards: Type.Integer(),
  /** It came with cards of the platform: its credentials are not changed here. */
  ofPlatform: Type.Boolean(),
  syncedAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type CarrierView = Static<typeof CarrierView>

const carrierSettings = {
  cooldownSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 7200 })),
  perSecond: Type.Optional(Type.Number({ minimum: 0.1, maximum: 100 })),
  clock: Type.Optional(Words(['shanghai', 'utc'])),
  signedBody: Type.Optional(Words(['raw', 'sorted'])),
  alerts: Type.Optional(
    Type.Object(
      {
        percents: Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 5, uniqueItems: true }),
        stopAt: Nullable(Type.Integer({ minimum: 1, maximum: 1000, description: 'Stops the card at this share' })),
        offlineDays: Nullable(Type.Integer({ minimum: 1, maximum: 365 })),
      },
      strict,
    ),
  ),
}
const Secret = Type.String({ minLength: 1, maxLength: 200 })

const tag = 'SIM cards'

export const carriersContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/carriers',
    tag,
    summary: 'Accounts at carriers, without their secrets',
    permission: 'sim-card:read',
    wholeCompany: true,
    response: Type.Object({ items: Type.Array(CarrierView) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/carriers',
    tag,
    summary: 'Connects an account at a carrier; its secrets are sealed and not shown again',
    permission: 'sim-card:configure',
    audit: 'carrier.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object(
      {
        name: Name,
        kind: Words(CARRIER_KINDS),
        baseUrl: Type.Optional(
          Type.String({ maxLength: 300, format: 'uri', description: "The carrier's own without it" }),
        ),
        account: Type.String({ minLength: 1, maxLength: 100, description: 'App id, user id or app key' }),
        password: Type.Optional(Secret),
        secretKey: Type.Optional(Secret),
        ...carrierSettings,
      },
      strict,
    ),
    example: {
      body: {
        name: 'Cards of the north',
        kind: 'onelink',
        baseUrl: 'https://carrier.invalid/v5',
        account: '100002000000',
        password: 'an-example',
      },
    },
    response: CarrierView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/carriers/{id}',
    tag,
    summary: 'Changes an account; a secret that is not given stays',
    permission: 'sim-card:configure',
    audit: 'carrier.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        baseUrl: Type.Optional(Type.String({ maxLength: 300, format: 'uri' })),
        account: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
        password: Type.Optional(Secret),
        secretKey: Type.Optional(Secret),
        disabled: Type.Optional(Type.Boolean()),
        ...carrierSettings,
      },
      strict,
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', name: 'Cards of the south' } },
    response: CarrierView,
  }),
  test: route({
    method: 'POST',
    path: '/api/v1/carriers/{id}/test',
    tag,
    summary: 'Asks the carrier something that changes nothing, and keeps what it said',
    permission: 'sim-card:configure',
    audit: 'carrier.test',
    wholeCompany: true,
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: CarrierView,
  }),
  sync: route({
    method: 'POST',
    path: '/api/v1/carriers/{id}/sync',
    tag,
    summary: 'Asks the carrier for the state and usage of every card, as a task',
    permission: 'sim-card:write',
    audit: 'carrier.sync',
    wholeCompany: true,
    status: 202,
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Type.Object({ taskId: Id }),
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/carriers/{id}',
    tag,
    summary: 'Removes an account that has no cards any longer',
    permission: 'sim-card:configure',
    audit: 'carrier.remove',
    wholeCompany: true,
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
