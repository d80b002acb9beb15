import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Name, Nullable, Ok, Version, Words } from './common.ts'
import { LORA_FEED_STATES, LORA_REGIONS } from './lora.words.ts'
import { route } from './route.ts'
import { CONNECTION_STATES } from './sim-cards.words.ts'

const strict = { additionalProperties: false } as const
const tag = 'LoRa'

/** A name and a text beside an object, as ChirpStack keeps them. */
export const LoraTags = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }))
/** Id of a region's configuration, `cn470_10`. */
export const RegionConfigId = Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_.-]*$' })

/** The broker that ChirpStack's MQTT integration publishes to. */
const Broker = {
  host: Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z0-9._:-]+$',
    description: 'Name or address of the broker',
  }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  tls: Type.Boolean(),
  username: Type.String({ maxLength: 256 }),
  prefix: Type.String({
    maxLength: 128,
    pattern: '^[^#+\\u0000]*$',
    description: 'What stands before application/… in its topics; usually nothing',
  }),
}

export const LoraConnectionView = Type.Object({
  id: Id,
  name: Type.String(),
  url: Type.String(),
  /** Of the ChirpStack tenant that the API key belongs to. */
  remoteTenantId: Type.String(),
  remoteTenantName: Nullable(Type.String()),
  /** A person of ChirpStack; only persons may ask for its regions. */
  email: Type.String(),
  /** Configurations of regions that are used; none: all that ChirpStack offers. */
  regions: Type.Array(Type.String()),
  /** The simulated ChirpStack of the demo company. */
  simulated: Type.Boolean(),
  state: Words(CONNECTION_STATES),
  /** Null: events do not come by MQTT. */
  mqtt: Nullable(
    Type.Object({
      ...Broker,
      state: Words(LORA_FEED_STATES),
      /** The broker's own words, or the network's. */
      fault: Nullable(Type.Object({ kind: Type.String(), code: Type.String(), text: Type.String() })),
      /** Of the state now. */
      since: Nullable(IsoTime),
    }),
  ),
  /** ChirpStack's own words of the last request that failed. */
  fault: Nullable(Type.Object({ kind: Type.String(), code: Type.String(), text: Type.String() })),
  testedAt: Nullable(IsoTime),
  syncedAt: Nullable(IsoTime),
  profiles: Type.Integer(),
  gateways: Type.Integer(),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type LoraConnectionView = Static<typeof LoraConnectionView>

const DataRate = Type.Object({
  dr: Type.Integer(),
  uplink: Type.Boolean(),
  downlink: Type.Boolean(),
  modulation: Words(['LORA', 'FSK', 'LR_FHSS']),
  spreadingFactor: Nullable(Type.Integer()),
  bandwidth: Nullable(Type.Integer({ description: 'Hz' })),
  bitrate: Nullable(Type.Integer({ description: 'Bits a second' })),
  codingRate: Nullable(Type.String()),
})

export const LoraRegionView = Type.Object({
  id: Type.String(),
  description: Type.String(),
  region: Words(LORA_REGIONS),
  /** Of ChirpStack's own answer, or of the configurations that it comes with. */
  source: Words(['server', 'shipped']),
  channels: Type.Array(
    Type.Object({ frequency: Type.Integer({ description: 'Hz' }), dataRates: Type.Array(Type.Integer()) }),
  ),
  dataRates: Type.Array(DataRate),
  maxEirp: Type.Number({ description: 'dBm' }),
  rx1Delay: Type.Integer(),
  rx1DrOffset: Type.Integer(),
  rx2Dr: Type.Integer(),
  rx2Frequency: Type.Integer(),
  pingSlotDr: Type.Integer(),
  /** 0: it changes with every beacon. */
  pingSlotFrequency: Type.Integer(),
  /** What its operator wrote about it. */
  userInfo: Type.String(),
})
export type LoraRegionView = Static<typeof LoraRegionView>

export const LoraRegionItem = Type.Object({
  id: Type.String(),
  description: Type.String(),
  region: Words(LORA_REGIONS),
})
export type LoraRegionItem = Static<typeof LoraRegionItem>

const Secret = Type.String({ minLength: 1, maxLength: 4096 })
const settings = {
  name: Name,
  url: Type.String({
    maxLength: 300,
    format: 'uri',
    description: 'Where the gRPC of ChirpStack answers: https://host:port',
  }),
  remoteTenantId: Type.String({ format: 'uuid', description: 'Id of the tenant in ChirpStack, not one of ours' }),
  email: Type.Optional(Type.String({ maxLength: 200, description: 'With the password: to ask for regions' })),
  regions: Type.Optional(Type.Array(RegionConfigId, { maxItems: 64, uniqueItems: true })),
  mqtt: Type.Optional(
    Nullable(
      Type.Object(
        {
          host: Broker.host,
          port: Type.Optional(Broker.port),
          tls: Type.Optional(Broker.tls),
          username: Type.Optional(Broker.username),
          password: Type.Optional(Type.String({ maxLength: 1024, description: 'Left out: the one that is kept' })),
          prefix: Type.Optional(Broker.prefix),
        },
        strict,
      ),
    ),
  ),
}

export const loraConnectionsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/lora/connections',
    tag,
    summary: 'Connections to ChirpStack servers, without their secrets',
    permission: 'lora:read',
    wholeCompany: true,
    response: Type.Object({ items: Type.Array(LoraConnectionView) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/lora/connections',
    tag,
    summary: 'Connects a ChirpStack server; its secrets are sealed and not shown again',
    permission: 'lora:configure',
    audit: 'lora_connection.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object({ ...settings, apiKey: Secret, password: Type.Optional(Secret) }, strict),
    example: {
      body: {
        name: 'LoRa of the north',
        url: 'https://chirpstack.invalid:8080',
        remoteTenantId: '52f14cd4-c6f1-4fbd-8f87-4025e1d49242',
        apiKey: 'an-example',
      },
    },
    response: LoraConnectionView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/lora/connections/{id}',
    tag,
    summary: 'Changes a connection; a secret that is not given stays',
    permission: 'lora:configure',
    audit: 'lora_connection.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(settings.name),
        url: Type.Optional(settings.url),
        remoteTenantId: Type.Optional(settings.remoteTenantId),
        email: settings.email,
        regions: settings.regions,
        mqtt: settings.mqtt,
        apiKey: Type.Optional(Secret),
        password: Type.Optional(Secret),
        disabled: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    response: LoraConnectionView,
  }),
  test: route({
    method: 'POST',
    path: '/api/v1/lora/connections/{id}/test',
    tag,
    summary: 'Asks ChirpStack for its tenant with the API key; what it says stands in the answer',
    permission: 'lora:configure',
    audit: 'lora_connection.test',
    wholeCompany: true,
    params: IdParams,
    response: LoraConnectionView,
  }),
  sync: route({
    method: 'POST',
    path: '/api/v1/lora/connections/{id}/sync',
    tag,
    summary: 'Reads all device profiles and gateways of the tenant',
    permission: 'lora:write',
    audit: 'lora_connection.sync',
    wholeCompany: true,
    params: IdParams,
    response: LoraConnectionView,
  }),
  rotateCallback: route({
    method: 'POST',
    path: '/api/v1/lora/connections/{id}/callback',
    tag,
    summary: 'A new secret for the HTTP integration of ChirpStack’s applications, shown once; the one before ends',
    permission: 'lora:configure',
    audit: 'lora_connection.rotate_secret',
    wholeCompany: true,
    params: IdParams,
    response: Type.Object({ path: Type.String(), header: Type.String(), value: Type.String() }),
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/lora/connections/{id}',
    tag,
    summary: 'Forgets a connection and what was read over it; ChirpStack keeps everything as it is',
    permission: 'lora:configure',
    audit: 'lora_connection.remove',
    wholeCompany: true,
    params: IdParams,
    response: Ok,
  }),
}

export const loraRegionsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/lora/regions',
    tag,
    summary: 'Configurations of regions: those that the ChirpStack server enables, or all that it comes with',
    permission: 'lora:read',
    wholeCompany: true,
    query: Type.Object({ connectionId: Type.Optional(Id) }),
    response: Type.Object({
      items: Type.Array(LoraRegionItem),
      source: Words(['server', 'shipped']),
      /** Why the server was not asked or did not answer. */
      reason: Nullable(Type.String()),
    }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/lora/regions/{id}',
    tag,
    summary: 'Channels, data rates, receive windows and the highest power of a region',
    permission: 'lora:read',
    wholeCompany: true,
    params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
    query: Type.Object({ connectionId: Type.Optional(Id) }),
    response: LoraRegionView,
  }),
}
