import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import { LoraTags, RegionConfigId } from './lora.contract.ts'
import {
  LORA_APP_LAYERS,
  LORA_CLASSES,
  LORA_CODECS,
  LORA_MAC_VERSIONS,
  LORA_MEASUREMENTS,
  LORA_REG_PARAMS,
  LORA_REGIONS,
} from './lora.words.ts'
import { route } from './route.ts'

const strict = { additionalProperties: false } as const
const tag = 'LoRa'
const Port = Type.Integer({ minimum: 0, maximum: 255 })
const Frequency = Type.Integer({ minimum: 0, maximum: 4_000_000_000, description: 'Hz; 0: as the region says' })
const Dr = Type.Integer({ minimum: 0, maximum: 15 })

/** The fields of a device profile (`device_profile.proto`), those of relays aside. */
const fields = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.String({ maxLength: 1000 }),
  region: Words(LORA_REGIONS),
  /** Empty: any configuration of the region. */
  regionConfigId: RegionConfigId,
  macVersion: Words(LORA_MAC_VERSIONS),
  regParamsRevision: Words(LORA_REG_PARAMS),
  adrAlgorithmId: Type.String({ minLength: 1, maxLength: 100 }),
  flushQueueOnActivate: Type.Boolean(),
  uplinkInterval: Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'Seconds' }),
  deviceStatusReqInterval: Type.Integer({ minimum: 0, maximum: 86_400, description: 'Requests a day; 0: none' }),
  allowRoaming: Type.Boolean(),
  rx1Delay: Type.Integer({ minimum: 0, maximum: 15, description: '0: as the server says' }),
  supportsOtaa: Type.Boolean(),
  abpRx1Delay: Type.Integer({ minimum: 0, maximum: 15 }),
  abpRx1DrOffset: Type.Integer({ minimum: 0, maximum: 15 }),
  abpRx2Dr: Dr,
  abpRx2Freq: Frequency,
  supportsClassB: Type.Boolean(),
  classBTimeout: Type.Integer({ minimum: 0, maximum: 86_400 }),
  classBPingSlotPeriodicity: Type.Integer({ minimum: 0, maximum: 7 }),
  classBPingSlotDr: Dr,
  classBPingSlotFreq: Frequency,
  classBDownlinkOnly: Type.Boolean(),
  supportsClassC: Type.Boolean(),
  classCTimeout: Type.Integer({ minimum: 0, maximum: 86_400 }),
  codecRuntime: Words(LORA_CODECS),
  codecScript: Type.String({ maxLength: 131_072 }),
  tags: LoraTags,
  measurements: Type.Array(
    Type.Object(
      {
        key: Type.String({ minLength: 1, maxLength: 100 }),
        name: Type.String({ maxLength: 100 }),
        kind: Words(LORA_MEASUREMENTS),
      },
      strict,
    ),
    { maxItems: 200 },
  ),
  autoDetectMeasurements: Type.Boolean(),
  appLayer: Type.Object(
    {
      ts003Version: Words(LORA_APP_LAYERS),
      ts003Port: Port,
      ts004Version: Words(LORA_APP_LAYERS),
      ts004Port: Port,
      ts005Version: Words(LORA_APP_LAYERS),
      ts005Port: Port,
    },
    strict,
  ),
}

const LoraProfileFields = Type.Object(fields)
export type LoraProfileFields = Static<typeof LoraProfileFields>

export const LoraProfileItem = Type.Object({
  id: Id,
  connectionId: Id,
  connectionName: Type.String(),
  simulated: Type.Boolean(),
  /** Its id in ChirpStack. */
  remoteId: Type.String(),
  name: fields.name,
  region: fields.region,
  macVersion: fields.macVersion,
  regParamsRevision: fields.regParamsRevision,
  supportsOtaa: Type.Boolean(),
  supportsClassB: Type.Boolean(),
  supportsClassC: Type.Boolean(),
  /** Of a whole ChirpStack server, made by its operator: to be read only. */
  shared: Type.Boolean(),
  codecRuntime: fields.codecRuntime,
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
  syncedAt: IsoTime,
})
export type LoraProfileItem = Static<typeof LoraProfileItem>

export const LoraProfileView = Type.Object({
  ...LoraProfileItem.properties,
  ...fields,
  /** Why it is shown as it was read last: ChirpStack did not answer. */
  stale: Nullable(Type.String()),
})
export type LoraProfileView = Static<typeof LoraProfileView>

const given = Object.fromEntries(
  Object.entries(fields).map(([key, schema]) => [key, Type.Optional(schema)]),
) as unknown as { [Key in keyof typeof fields]: ReturnType<typeof Type.Optional<(typeof fields)[Key]>> }

const filters = {
  connectionId: Type.Optional(Id),
  region: Type.Optional(Words(LORA_REGIONS)),
  class: Type.Optional(Words(LORA_CLASSES)),
  codec: Type.Optional(Words(LORA_CODECS)),
}

export const loraProfilesContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/lora/profiles',
    tag,
    summary: 'Device profiles, by name, region, class or codec',
    permission: 'lora:read',
    wholeCompany: true,
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(LoraProfileItem),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/lora/profiles/export',
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
    path: '/api/v1/lora/profiles',
    tag,
    summary: 'Makes a device profile in ChirpStack; what is not given is as in its own form',
    permission: 'lora:write',
    audit: 'lora_profile.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object({ ...given, connectionId: Id, name: fields.name, region: fields.region }, strict),
    response: LoraProfileView,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/lora/profiles/{id}',
    tag,
    summary: 'A device profile as ChirpStack has it now',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: LoraProfileView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/lora/profiles/{id}',
    tag,
    summary: 'Changes a device profile in ChirpStack; what is not given stays',
    permission: 'lora:write',
    audit: 'lora_profile.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object({ ...given, version: Version }, strict),
    response: LoraProfileView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/lora/profiles/{id}',
    tag,
    summary: 'Removes a device profile from ChirpStack, which refuses while devices use it',
    permission: 'lora:write',
    audit: 'lora_profile.remove',
    wholeCompany: true,
    params: IdParams,
    response: Ok,
  }),
}
