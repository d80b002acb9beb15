import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import {
  CARD_ACTIONS,
  CARD_CHECKS,
  CARD_FORMS,
  CARD_STATES,
  CARD_TERMS,
  CARD_USES,
  CARRIER_KINDS,
  CARRIERS,
  ICCID_PATTERN,
  OPERATION_STATES,
  SPEEDS_KBPS,
  STOP_REASONS,
  USAGE_LINES,
} from './sim-cards.words.ts'

export type CardState = (typeof CARD_STATES)[number]
export type CardTerm = (typeof CARD_TERMS)[number]
export type StopReason = (typeof STOP_REASONS)[number]
export type CardAction = (typeof CARD_ACTIONS)[number]
export type OperationState = (typeof OPERATION_STATES)[number]

const strict = { additionalProperties: false } as const
const Iccid = Type.String({ pattern: ICCID_PATTERN, minLength: 19, maxLength: 20 })
const Msisdn = Type.String({ pattern: '^[0-9]{11,15}$' })
const Imsi = Type.String({ pattern: '^[0-9]{15}$' })
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 32 }), { maxItems: 10, uniqueItems: true })
const Remark = Type.String({ maxLength: 200 })
const ShownPlan = Nullable(Type.Number({ minimum: 0, maximum: 1e12 }))
const ShownPercent = Nullable(Type.Integer({ minimum: 1, maximum: 1000 }))
const Kb = Type.Number({ description: 'Kilobytes of 1024 bytes' })

export const SimCardView = Type.Object({
  id: Id,
  connectionId: Id,
  connectionName: Type.String(),
  carrier: Words(CARRIERS),
  kind: Words(CARRIER_KINDS),
  simulated: Type.Boolean(),
  iccid: Type.String(),
  msisdn: Nullable(Type.String()),
  imsi: Nullable(Type.String()),
  imei: Nullable(Type.String()),
  /** The IMEI that it shall stay in. */
  boundImei: Nullable(Type.String()),
  state: Words(CARD_STATES),
  /** The carrier's own code and words. */
  rawState: Nullable(Type.String()),
  rawStateText: Nullable(Type.String()),
  stopReason: Nullable(Words(STOP_REASONS)),
  stateSince: Nullable(IsoTime),
  online: Nullable(Type.Boolean()),
  ip: Nullable(Type.String()),
  apn: Nullable(Type.String()),
  dataOff: Nullable(Type.Boolean()),
  realName: Nullable(Type.Boolean()),
  speedKbps: Nullable(Type.Integer()),
  form: Nullable(Words(CARD_FORMS)),
  /** How long its plan runs. */
  term: Nullable(Words(CARD_TERMS)),
  use: Words(CARD_USES),
  pool: Type.String(),
  planName: Nullable(Type.String()),
  planKb: Nullable(Kb),
  monthKb: Nullable(Kb),
  /** By the end of the month, if it goes on as in these days. */
  forecastKb: Nullable(Kb),
  /** What this server counted of the device's messages this month. */
  countedKb: Nullable(Kb),
  /** The plan that its user is shown instead of the carrier's. */
  shownPlanKb: Nullable(Kb),
  /** So many percent of what the carrier counted are shown to its user. */
  shownPercent: Nullable(Type.Integer()),
  /** What its user is shown of this month. */
  shown: Type.Object({ usedKb: Nullable(Kb), planKb: Nullable(Kb), restKb: Nullable(Kb) }),
  /** Whether it can send text messages, and how many it sent this month; null: the carrier does not say. */
  smsOn: Nullable(Type.Boolean()),
  monthSms: Nullable(Type.Integer()),
  /** In fen a month. */
  monthFen: Nullable(Type.Integer()),
  openedAt: Nullable(IsoTime),
  activatedAt: Nullable(IsoTime),
  activateBy: Nullable(IsoTime),
  /** The traffic of its plan can be used until then; the card itself goes on until `expiresAt`. */
  dataUntil: Nullable(IsoTime),
  expiresAt: Nullable(IsoTime),
  /** Whether the carrier's interface answers about it. One that it does not answer about is neither synced nor changed. */
  searchable: Type.Boolean(),
  tags: Type.Array(Type.String()),
  remark: Type.String(),
  deviceId: Nullable(Id),
  deviceName: Nullable(Type.String()),
  deviceNo: Nullable(Type.String()),
  syncedAt: Nullable(IsoTime),
  syncFault: Nullable(Type.String()),
  /** What may be asked for now. */
  allowed: Type.Array(Words(CARD_ACTIONS)),
  /** Not before this: the carrier's pause between two changes of a card. */
  nextOperationAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type SimCardView = Static<typeof SimCardView>

export const OperationView = Type.Object({
  id: Id,
  cardId: Id,
  iccid: Type.String(),
  msisdn: Nullable(Type.String()),
  action: Words(CARD_ACTIONS),
  speedKbps: Nullable(Type.Integer()),
  state: Words(OPERATION_STATES),
  /** The carrier's number of the change. */
  carrierNo: Nullable(Type.String()),
  /** The carrier's own words when it failed, and its code. */
  reason: Nullable(Type.String()),
  code: Nullable(Type.String()),
  attempts: Type.Integer(),
  notBefore: IsoTime,
  byName: Type.String(),
  createdAt: IsoTime,
  submittedAt: Nullable(IsoTime),
  finishedAt: Nullable(IsoTime),
})
export type OperationView = Static<typeof OperationView>

export const CardEventView = Type.Object({
  id: Id,
  at: IsoTime,
  /** A state, an alert, a change of the machine, a device that was bound. */
  kind: Words(['state', 'imei', 'bound', 'unbound', 'alert']),
  from: Nullable(Type.String()),
  to: Nullable(Type.String()),
  text: Type.String(),
})
export type CardEventView = Static<typeof CardEventView>

export const CardCheckView = Type.Object({
  at: IsoTime,
  steps: Type.Array(
    Type.Object({
      step: Words(CARD_CHECKS),
      verdict: Words(['ok', 'fault', 'unknown']),
      /** What is wrong or right, a word that the console has a sentence for. */
      code: Type.String(),
      params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
      /** What could help. */
      act: Nullable(Words(CARD_ACTIONS)),
    }),
  ),
})
export type CardCheckView = Static<typeof CardCheckView>

const filters = {
  carrier: Type.Optional(Words(CARRIERS)),
  connectionId: Type.Optional(Id),
  state: Type.Optional(Words(CARD_STATES)),
  online: Type.Optional(Words(['yes', 'no'])),
  bound: Type.Optional(Words(['yes', 'no'])),
  use: Type.Optional(Words(CARD_USES)),
  term: Type.Optional(Words(CARD_TERMS)),
  searchable: Type.Optional(Words(['yes', 'no'])),
  pool: Type.Optional(Type.String({ maxLength: 64 })),
  tag: Type.Optional(Type.String({ maxLength: 32 })),
  usage: Type.Optional(Words(USAGE_LINES)),
  expiring: Type.Optional(Words(['7', '30'])),
  deviceId: Type.Optional(Id),
}

const OperationInput = {
  action: Words(CARD_ACTIONS),
  speedKbps: Type.Optional(Words(SPEEDS_KBPS.map(String) as ['128', '512', '1024', '2048'])),
  tac: Type.Optional(Type.String({ pattern: '^[0-9]{8,15}$', description: 'Of bind_imei: its first 8 to 15 digits' })),
}

const tag = 'SIM cards'

export const simCardsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/sim-cards',
    tag,
    summary: 'SIM cards, the newest first; q: a part of a number, a name or a remark',
    permission: 'sim-card:read',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(SimCardView),
  }),
  counts: route({
    method: 'GET',
    path: '/api/v1/sim-cards/counts',
    tag,
    summary: 'How many cards are in which state, and what they used this month',
    permission: 'sim-card:read',
    query: Type.Object({ carrier: Type.Optional(Words(CARRIERS)) }),
    response: Type.Object({
      total: Type.Integer(),
      states: Type.Record(Type.String(), Type.Integer()),
      online: Type.Integer(),
      bound: Type.Integer(),
      over80: Type.Integer(),
      monthKb: Kb,
      planKb: Kb,
      pools: Type.Array(
        Type.Object({ pool: Type.String(), cards: Type.Integer(), monthKb: Kb, planKb: Kb, forecastKb: Kb }),
      ),
    }),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/sim-cards/export',
    tag,
    summary: 'The same as a file, at most 100,000',
    permission: 'sim-card:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  template: route({
    method: 'GET',
    path: '/api/v1/sim-cards/import-template',
    tag,
    summary: 'An empty table with the columns of an import',
    permission: 'sim-card:write',
    query: Type.Object({ format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  operations: route({
    method: 'GET',
    path: '/api/v1/sim-cards/operations',
    tag,
    summary: 'What was asked of carriers, the newest first',
    permission: 'sim-card:read',
    query: Type.Object({
      ...listQuery,
      carrier: Type.Optional(Words(CARRIERS)),
      cardId: Type.Optional(Id),
      state: Type.Optional(Words(OPERATION_STATES)),
      action: Type.Optional(Words(CARD_ACTIONS)),
    }),
    response: listOf(OperationView),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/sim-cards',
    tag,
    summary: 'Adds one card',
    permission: 'sim-card:write',
    audit: 'sim_card.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object(
      {
        connectionId: Id,
        iccid: Iccid,
        msisdn: Type.Optional(Msisdn),
        imsi: Type.Optional(Imsi),
        tags: Type.Optional(Tags),
        remark: Type.Optional(Remark),
      },
      strict,
    ),
    response: SimCardView,
  }),
  import: route({
    method: 'POST',
    path: '/api/v1/sim-cards/import',
    tag,
    summary: 'Adds the cards of a table (XLSX or CSV); lines that fail are named with their reason',
    permission: 'sim-card:write',
    audit: 'sim_card.import',
    wholeCompany: true,
    body: Type.Object({ connectionId: Id, existing: Type.Optional(Words(['update', 'skip'])) }),
    upload: { maxBytes: 32 * 1024 ** 2 },
    response: Type.Object({
      rows: Type.Integer(),
      created: Type.Integer(),
      updated: Type.Integer(),
      skipped: Type.Integer(),
      failed: Type.Integer(),
      /** The first 500. */
      problems: Type.Array(
        Type.Object({
          line: Type.Integer(),
          field: Type.String(),
          value: Type.String(),
          code: Type.String(),
          message: Type.String(),
        }),
      ),
    }),
  }),
  updateMany: route({
    method: 'POST',
    path: '/api/v1/sim-cards/changes',
    tag,
    summary:
      'Sets the same for up to 10,000 cards; null clears; cards that are gone or not seen are counted as missing',
    permission: 'sim-card:write',
    audit: 'sim_card.update_many',
    body: Type.Object(
      {
        ids: Type.Array(Id, { minItems: 1, maxItems: 10_000, uniqueItems: true }),
        set: Type.Object(
          {
            term: Type.Optional(Nullable(Words(CARD_TERMS))),
            shownPlanKb: Type.Optional(ShownPlan),
            shownPercent: Type.Optional(ShownPercent),
            dataUntil: Type.Optional(Nullable(IsoTime)),
            expiresAt: Type.Optional(Nullable(IsoTime)),
            searchable: Type.Optional(Type.Boolean()),
          },
          strict,
        ),
      },
      strict,
    ),
    response: Type.Object({ changed: Type.Integer(), missing: Type.Integer() }),
  }),
  operateMany: route({
    method: 'POST',
    path: '/api/v1/sim-cards/operations',
    tag,
    summary: 'Asks the carrier to change up to 100 cards; what cannot be asked for is named, the rest is queued',
    permission: 'sim-card:operate',
    audit: 'sim_card.operate_many',
    body: Type.Object(
      { ids: Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }), ...OperationInput },
      strict,
    ),
    response: Type.Object({
      queued: Type.Integer(),
      rejected: Type.Array(Type.Object({ id: Id, code: Type.String(), message: Type.String() })),
    }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/sim-cards/{id}',
    tag,
    summary: 'One card',
    permission: 'sim-card:read',
    params: IdParams,
    response: SimCardView,
  }),
  usage: route({
    method: 'GET',
    path: '/api/v1/sim-cards/{id}/usage',
    tag,
    summary: "What a card used by day or month, the carrier's kilobytes beside those that this server counted",
    permission: 'sim-card:read',
    params: IdParams,
    query: Type.Object({ by: Type.Optional(Words(['day', 'month'])) }),
    response: Type.Object({
      items: Type.Array(Type.Object({ at: Type.String(), kb: Nullable(Kb), countedKb: Nullable(Kb) })),
    }),
  }),
  events: route({
    method: 'GET',
    path: '/api/v1/sim-cards/{id}/events',
    tag,
    summary: 'What happened to a card, the newest first',
    permission: 'sim-card:read',
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(CardEventView),
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/sim-cards/{id}',
    tag,
    summary: 'Changes what we keep of a card beside what the carrier says',
    permission: 'sim-card:write',
    audit: 'sim_card.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        msisdn: Type.Optional(Nullable(Msisdn)),
        imsi: Type.Optional(Nullable(Imsi)),
        boundImei: Type.Optional(Nullable(Type.String({ pattern: '^[0-9]{14,16}$' }))),
        form: Type.Optional(Nullable(Words(CARD_FORMS))),
        term: Type.Optional(Nullable(Words(CARD_TERMS))),
        use: Type.Optional(Words(CARD_USES)),
        pool: Type.Optional(Type.String({ maxLength: 64 })),
        planKb: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1e12 }))),
        shownPlanKb: Type.Optional(ShownPlan),
        shownPercent: Type.Optional(ShownPercent),
        smsOn: Type.Optional(Nullable(Type.Boolean())),
        monthFen: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 100_000_000 }))),
        activateBy: Type.Optional(Nullable(IsoTime)),
        dataUntil: Type.Optional(Nullable(IsoTime)),
        searchable: Type.Optional(Type.Boolean()),
        expiresAt: Type.Optional(Nullable(IsoTime)),
        tags: Type.Optional(Tags),
        remark: Type.Optional(Remark),
      },
      strict,
    ),
    response: SimCardView,
  }),
  bind: route({
    method: 'POST',
    path: '/api/v1/sim-cards/{id}/bind',
    tag,
    summary: 'Says which device the card is in; null: in none',
    permission: 'sim-card:write',
    audit: 'sim_card.bind',
    params: IdParams,
    body: Type.Object({ deviceId: Nullable(Id) }, strict),
    response: SimCardView,
  }),
  sync: route({
    method: 'POST',
    path: '/api/v1/sim-cards/{id}/sync',
    tag,
    summary: 'Asks the carrier for the state of one card now',
    permission: 'sim-card:write',
    audit: 'sim_card.sync',
    params: IdParams,
    response: SimCardView,
  }),
  diagnose: route({
    method: 'POST',
    path: '/api/v1/sim-cards/{id}/diagnose',
    tag,
    summary: 'Why a card passes no data: state, functions, session, APN, IMEI, separation, position',
    permission: 'sim-card:read',
    audit: { none: 'it asks the carrier and changes nothing' },
    params: IdParams,
    response: CardCheckView,
  }),
  operate: route({
    method: 'POST',
    path: '/api/v1/sim-cards/{id}/operations',
    tag,
    summary: 'Asks the carrier to change the card; it is queued, and its state says what came of it',
    permission: 'sim-card:operate',
    audit: 'sim_card.operate',
    status: 202,
    params: IdParams,
    body: Type.Object({ ...OperationInput }, strict),
    response: OperationView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/sim-cards/{id}',
    tag,
    summary: 'Forgets a card here; the carrier keeps it as it is',
    permission: 'sim-card:write',
    audit: 'sim_card.remove',
    wholeCompany: true,
    params: IdParams,
    response: Ok,
  }),
}
