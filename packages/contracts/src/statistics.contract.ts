import { type Static, Type } from 'typebox'
import { EpochMs, Id, Nullable, Ok, Words } from './common.ts'
import { LinkType } from './products.contract.ts'
import { route } from './route.ts'
import { ATTENTION_KINDS, ATTENTION_LEVELS, DISTRIBUTIONS } from './statistics.words.ts'

const tag = 'Statistics'
const Column = Type.Array(Type.Integer())

/** Samples one under the other: the same place in each column is the same moment. */
export const FleetColumns = Type.Object({
  at: Type.Array(EpochMs, { description: 'Beginning of each step' }),
  devices: Column,
  online: Column,
  messages: Column,
  refused: Column,
  created: Column,
  lost: Type.Array(Type.Integer(), { description: 'Devices that had then been silent for a day' }),
  commandsOk: Column,
  commandsFailed: Column,
})
export type FleetColumns = Static<typeof FleetColumns>

/** How many now, and how many a day before. */
const Compared = Type.Object({ value: Type.Integer(), before: Nullable(Type.Integer()) })

export const FleetFacts = Type.Object({
  takenAt: Nullable(EpochMs),
  devices: Compared,
  online: Compared,
  /** Since midnight in the company's time zone, and as much of the day before. */
  messages: Compared,
  created: Compared,
  lost: Compared,
  /** Of the last 24 hours and of those before. */
  commandsOk: Compared,
  commandsFailed: Compared,
  /** The last 24 hours. */
  recent: FleetColumns,
})
export type FleetFacts = Static<typeof FleetFacts>

export const FleetTrends = Type.Object({
  from: EpochMs,
  to: EpochMs,
  stepMs: Type.Integer(),
  now: FleetColumns,
  before: Nullable(FleetColumns),
})
export type FleetTrends = Static<typeof FleetTrends>

export const AttentionItem = Type.Object({
  kind: Words(ATTENTION_KINDS),
  level: Words(ATTENTION_LEVELS),
  /** What the text of the kind is filled with. */
  params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  /** How many things it stands for. */
  count: Type.Integer(),
  at: Nullable(EpochMs),
  link: Type.String({ description: 'Address in the console' }),
})
export type AttentionItem = Static<typeof AttentionItem>

export const HomeLayout = Type.Object(
  {
    order: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 60, uniqueItems: true }),
    hidden: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 60, uniqueItems: true }),
  },
  { additionalProperties: false },
)
export type HomeLayout = Static<typeof HomeLayout>

const spanQuery = { from: EpochMs, to: EpochMs }

export const statisticsContract = {
  facts: route({
    method: 'GET',
    path: '/api/v1/statistics/facts',
    tag,
    summary: 'How the devices are doing now, beside yesterday',
    permission: 'device:read',
    response: FleetFacts,
  }),
  trends: route({
    method: 'GET',
    path: '/api/v1/statistics/trends',
    tag,
    summary: 'Devices, messages and commands over a span of at most 31 days, and over the one before',
    permission: 'device:read',
    query: Type.Object({ ...spanQuery, before: Type.Optional(Words(['0', '1'])) }),
    response: FleetTrends,
  }),
  distribution: route({
    method: 'GET',
    path: '/api/v1/statistics/distribution',
    tag,
    summary: 'Devices by product, kind of link, province, firmware version or carrier, the most first',
    permission: 'device:read',
    query: Type.Object({ by: Words(DISTRIBUTIONS) }),
    response: Type.Object({
      takenAt: Nullable(EpochMs),
      items: Type.Array(
        Type.Object({
          /** Id of the product; null for those that stand together at the end. */
          id: Nullable(Id),
          name: Type.String({
            description:
              'Of a province in Chinese; empty: outside of all. Of a firmware version and a carrier as devices have it',
          }),
          ename: Nullable(Type.String({ description: 'Of a province in English' })),
          linkType: Nullable(LinkType),
          devices: Type.Integer(),
          online: Type.Integer(),
        }),
      ),
    }),
  }),
  talkers: route({
    method: 'GET',
    path: '/api/v1/statistics/talkers',
    tag,
    summary: 'Devices that sent most, of the last seven days at the longest',
    permission: 'device:read',
    query: Type.Object({ ...spanQuery }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          deviceId: Id,
          name: Type.String(),
          deviceNo: Type.String(),
          messages: Type.Integer(),
        }),
      ),
    }),
  }),
  attention: route({
    method: 'GET',
    path: '/api/v1/statistics/attention',
    tag,
    summary: 'What needs the caller, the worst first: of what he may read',
    permission: 'signed-in',
    response: Type.Object({ items: Type.Array(AttentionItem) }),
  }),
  layout: route({
    method: 'GET',
    path: '/api/v1/statistics/layout',
    tag,
    summary: 'How the caller arranged his overview; null: as designed',
    permission: 'signed-in',
    response: Type.Object({ layout: Nullable(HomeLayout) }),
  }),
  arrange: route({
    method: 'PUT',
    path: '/api/v1/statistics/layout',
    tag,
    summary: 'Keeps how the caller arranged his overview; null: as designed',
    permission: 'signed-in',
    audit: { none: 'how one person looks at his overview is nobody else’s concern' },
    body: Type.Object({ layout: Nullable(HomeLayout) }, { additionalProperties: false }),
    example: { body: { layout: { order: ['facts'], hidden: [] } } },
    response: Ok,
  }),
}
