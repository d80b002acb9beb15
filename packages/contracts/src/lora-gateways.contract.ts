import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import { LoraTags } from './lora.contract.ts'
import { LORA_GATEWAY_STATES, LORA_LOCATION_SOURCES, LORA_METRIC_STEPS, LORA_METRICS } from './lora.words.ts'
import { route } from './route.ts'

const strict = { additionalProperties: false } as const
const tag = 'LoRa'

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.String({ maxLength: 1000 }),
  location: Nullable(
    Type.Object(
      {
        lat: Type.Number({ minimum: -90, maximum: 90 }),
        lng: Type.Number({ minimum: -180, maximum: 180 }),
        alt: Type.Number({ minimum: -1000, maximum: 100_000 }),
      },
      strict,
    ),
  ),
  statsInterval: Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds between its statistics' }),
  downlinkPriority: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: 'Of several gateways that heard a device the highest sends; older servers leave it out',
  }),
  tags: LoraTags,
}

export const LoraGatewayView = Type.Object({
  id: Id,
  connectionId: Id,
  connectionName: Type.String(),
  simulated: Type.Boolean(),
  /** EUI64, 16 hex digits. */
  gatewayId: Type.String(),
  ...fields,
  locationSource: Words(LORA_LOCATION_SOURCES),
  /** What the gateway says of itself. */
  metadata: LoraTags,
  /** Null: it has not said yet which one it uses. */
  regionConfigId: Nullable(Type.String()),
  state: Words(LORA_GATEWAY_STATES),
  lastSeenAt: Nullable(IsoTime),
  /** Of the state now. */
  stateSince: Nullable(IsoTime),
  /** Why it is shown as it was read last. */
  stale: Nullable(Type.String()),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
  syncedAt: IsoTime,
})
export type LoraGatewayView = Static<typeof LoraGatewayView>

export const LoraMetric = Type.Object({
  metric: Words(LORA_METRICS),
  times: Type.Array(IsoTime),
  series: Type.Array(Type.Object({ label: Type.String(), values: Type.Array(Type.Number()) })),
})
export type LoraMetric = Static<typeof LoraMetric>

/** A line of what ChirpStack shows as it happens. */
export const LoraFrame = Type.Object({
  id: Type.String(),
  time: Nullable(IsoTime),
  /** ChirpStack's own word, `UnconfirmedDataUp` or `up`. */
  description: Type.String(),
  properties: Type.Record(Type.String(), Type.String()),
  /** JSON, as ChirpStack wrote it. */
  body: Type.String(),
})
export type LoraFrame = Static<typeof LoraFrame>
export const LoraFrames = Type.Object({ items: Type.Array(LoraFrame) })

const filters = {
  connectionId: Type.Optional(Id),
  state: Type.Optional(Words(LORA_GATEWAY_STATES)),
}

export const loraGatewaysContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/lora/gateways',
    tag,
    summary: 'LoRaWAN gateways with their state',
    permission: 'lora:read',
    wholeCompany: true,
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(LoraGatewayView),
  }),
  counts: route({
    method: 'GET',
    path: '/api/v1/lora/gateways/counts',
    tag,
    summary: 'How many gateways are in each state',
    permission: 'lora:read',
    wholeCompany: true,
    response: Type.Object({
      total: Type.Integer(),
      neverSeen: Type.Integer(),
      online: Type.Integer(),
      offline: Type.Integer(),
    }),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/lora/gateways/export',
    tag,
    summary: 'The list as a file',
    permission: 'lora:read',
    wholeCompany: true,
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/lora/gateways',
    tag,
    summary: 'Registers a gateway in ChirpStack',
    permission: 'lora:write',
    audit: 'lora_gateway.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object(
      {
        connectionId: Id,
        gatewayId: Type.String({ pattern: '^[0-9A-Fa-f]{16}$', description: 'EUI64, 16 hex digits' }),
        name: fields.name,
        description: Type.Optional(fields.description),
        location: Type.Optional(fields.location),
        statsInterval: Type.Optional(fields.statsInterval),
        downlinkPriority: Type.Optional(fields.downlinkPriority),
        tags: Type.Optional(fields.tags),
      },
      strict,
    ),
    response: LoraGatewayView,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/lora/gateways/{id}',
    tag,
    summary: 'A gateway as ChirpStack has it now',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: LoraGatewayView,
  }),
  metrics: route({
    method: 'GET',
    path: '/api/v1/lora/gateways/{id}/metrics',
    tag,
    summary: 'Packets received and sent: in all, by frequency, by data rate, and how sending ended',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    query: Type.Object({
      from: IsoTime,
      to: IsoTime,
      step: Words(LORA_METRIC_STEPS),
    }),
    response: Type.Object({ metrics: Type.Array(LoraMetric) }),
  }),
  frames: route({
    method: 'GET',
    path: '/api/v1/lora/gateways/{id}/frames',
    tag,
    summary:
      'LoRaWAN frames that ChirpStack keeps of a gateway and those of this moment, the newest first; not stored here',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: LoraFrames,
  }),
  makeCertificate: route({
    method: 'POST',
    path: '/api/v1/lora/gateways/{id}/certificate',
    tag,
    summary: 'A new TLS client certificate for a gateway, made by ChirpStack and shown once',
    permission: 'lora:configure',
    audit: 'lora_gateway.make_certificate',
    wholeCompany: true,
    params: IdParams,
    response: Type.Object({
      caCert: Type.String(),
      tlsCert: Type.String(),
      tlsKey: Type.String(),
      expiresAt: Nullable(IsoTime),
    }),
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/lora/gateways/{id}',
    tag,
    summary: 'Changes a gateway in ChirpStack; what is not given stays',
    permission: 'lora:write',
    audit: 'lora_gateway.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(fields.name),
        description: Type.Optional(fields.description),
        location: Type.Optional(fields.location),
        statsInterval: Type.Optional(fields.statsInterval),
        downlinkPriority: Type.Optional(fields.downlinkPriority),
        tags: Type.Optional(fields.tags),
      },
      strict,
    ),
    response: LoraGatewayView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/lora/gateways/{id}',
    tag,
    summary: 'Removes a gateway from ChirpStack',
    permission: 'lora:write',
    audit: 'lora_gateway.remove',
    wholeCompany: true,
    params: IdParams,
    response: Ok,
  }),
}
