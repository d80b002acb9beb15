import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Nullable, Ok, Version, Words } from './common.ts'
import { LoraTags } from './lora.contract.ts'
import { LORA_ACTIVATIONS, LORA_KEY_NAMES, LORA_LINK_STATES, LORA_TRAFFIC } from './lora.words.ts'
import { LoraDeviceView } from './lora-devices.contract.ts'
import { LoraFrames } from './lora-gateways.contract.ts'
import { route } from './route.ts'
import { CONNECTION_STATES } from './sim-cards.words.ts'

const strict = { additionalProperties: false } as const
const tag = 'LoRa'
const Eui = Type.String({ pattern: '^[0-9A-Fa-f]{16}$', description: 'EUI64, 16 hex digits' })
const Key = Type.String({ pattern: '^[0-9A-Fa-f]{32}$', description: '128 bits, 32 hex digits' })
const RemoteId = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' })

export const LoraProductView = Type.Object({
  connectionId: Id,
  connectionName: Type.String(),
  connectionState: Words(CONNECTION_STATES),
  simulated: Type.Boolean(),
  /** ChirpStack's own id and name of the application that its devices are made in. */
  applicationId: Type.String(),
  applicationName: Type.String(),
  /** Null: the profile is no longer there, and another has to be chosen. */
  profileId: Nullable(Id),
  profileName: Nullable(Type.String()),
  macVersion: Nullable(Type.String()),
  devices: Type.Object({ registered: Type.Integer(), failed: Type.Integer() }),
  version: Type.Integer(),
})
export type LoraProductView = Static<typeof LoraProductView>

export const LoraLinkView = Type.Object({
  devEui: Type.String(),
  /** Whether its number is one: 16 hex digits. */
  devEuiValid: Type.Boolean(),
  /** Where devices of its product are made; null: not chosen yet. */
  product: Nullable(LoraProductView),
  joinEui: Type.String(),
  activation: Words(LORA_ACTIVATIONS),
  /** Which keys are kept, sealed; none of them is shown again. */
  keys: Type.Array(Words(LORA_KEY_NAMES)),
  skipFcntCheck: Type.Boolean(),
  disabled: Type.Boolean(),
  /** Read by ChirpStack's codec and integrations. */
  variables: LoraTags,
  tags: LoraTags,
  state: Words(LORA_LINK_STATES),
  /** ChirpStack's own words, why it is not there. */
  fault: Nullable(Type.String()),
  connectionName: Nullable(Type.String()),
  registeredAt: Nullable(IsoTime),
  /** How it is heard; null: ChirpStack never spoke of it. */
  radio: Nullable(LoraDeviceView),
  version: Type.Integer(),
})
export type LoraLinkView = Static<typeof LoraLinkView>

export const LoraSessionView = Type.Object({
  /** Null: it has not joined. Its session keys stay at ChirpStack. */
  session: Nullable(
    Type.Object({
      devAddr: Type.String(),
      fCntUp: Type.Integer(),
      nFCntDown: Type.Integer(),
      aFCntDown: Type.Integer(),
    }),
  ),
  queue: Type.Array(
    Type.Object({
      id: Type.String(),
      port: Type.Integer(),
      confirmed: Type.Boolean(),
      hex: Type.String(),
      /** Sent, and not acknowledged yet. */
      pending: Type.Boolean(),
      fCntDown: Type.Integer(),
      expiresAt: Nullable(IsoTime),
    }),
  ),
})
export type LoraSessionView = Static<typeof LoraSessionView>

const keys = {
  appKey: Type.Optional(Key),
  /** LoRaWAN 1.1 only. */
  nwkKey: Type.Optional(Key),
  /** Multicast of LoRaWAN 1.0. */
  genAppKey: Type.Optional(Key),
  devAddr: Type.Optional(Type.String({ pattern: '^[0-9A-Fa-f]{8}$', description: '8 hex digits' })),
  appSKey: Type.Optional(Key),
  nwkSKey: Type.Optional(Key),
}

export const loraLinksContract = {
  applications: route({
    method: 'GET',
    path: '/api/v1/lora/connections/{id}/applications',
    tag,
    summary: 'Applications of the ChirpStack tenant, as it has them now',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: Type.Object({ items: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })) }),
  }),
  product: route({
    method: 'GET',
    path: '/api/v1/products/{id}/lora',
    tag,
    summary: 'Where devices of a LoRaWAN product are made; null: not chosen yet',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: Type.Object({ link: Nullable(LoraProductView) }),
  }),
  setProduct: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/lora',
    tag,
    summary: 'Says in which application and with which device profile devices of a product are made',
    permission: 'lora:write',
    audit: 'lora_product.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object(
      { connectionId: Id, applicationId: RemoteId, profileId: Id, version: Type.Optional(Version) },
      strict,
    ),
    response: Type.Object({ link: Nullable(LoraProductView) }),
  }),
  clearProduct: route({
    method: 'DELETE',
    path: '/api/v1/products/{id}/lora',
    tag,
    summary: 'Takes a product from ChirpStack; the devices stay there as they are',
    permission: 'lora:write',
    audit: 'lora_product.remove',
    wholeCompany: true,
    params: IdParams,
    response: Ok,
  }),
  device: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/lora',
    tag,
    summary: 'A LoRaWAN device: its keys by name, how it stands at ChirpStack, and how it is heard',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: LoraLinkView,
  }),
  setDevice: route({
    method: 'PUT',
    path: '/api/v1/devices/{id}/lora',
    tag,
    summary: 'Seals the keys of a device and makes or changes it at ChirpStack; what that says stands in the answer',
    permission: 'lora:write',
    audit: 'lora_device.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object(
      {
        joinEui: Type.Optional(Eui),
        activation: Type.Optional(Words(LORA_ACTIVATIONS)),
        ...keys,
        skipFcntCheck: Type.Optional(Type.Boolean()),
        disabled: Type.Optional(Type.Boolean()),
        variables: Type.Optional(LoraTags),
        tags: Type.Optional(LoraTags),
        version: Type.Optional(Version),
      },
      strict,
    ),
    response: LoraLinkView,
  }),
  removeDevice: route({
    method: 'DELETE',
    path: '/api/v1/devices/{id}/lora',
    tag,
    summary: 'Removes a device from ChirpStack and forgets its keys; the device here stays',
    permission: 'lora:write',
    audit: 'lora_device.remove',
    wholeCompany: true,
    params: IdParams,
    response: LoraLinkView,
  }),
  session: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/lora/session',
    tag,
    summary: 'Session and queue of a device as ChirpStack has them now',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: LoraSessionView,
  }),
  traffic: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/lora/frames',
    tag,
    summary:
      'Frames or events of a device that ChirpStack keeps and those of this moment, the newest first; not stored here',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    query: Type.Object({ kind: Type.Optional(Words(LORA_TRAFFIC)) }),
    response: LoraFrames,
  }),
  flushQueue: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/lora/flush-queue',
    tag,
    summary: 'Empties the queue of a device at ChirpStack',
    permission: 'lora:write',
    audit: 'lora_device.flush_queue',
    wholeCompany: true,
    params: IdParams,
    response: LoraSessionView,
  }),
  importTemplate: route({
    method: 'GET',
    path: '/api/v1/lora/devices/import-template',
    tag,
    summary: 'An empty table with the columns of an import of devices with keys',
    permission: 'lora:read',
    wholeCompany: true,
    query: Type.Object({ format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  import: route({
    method: 'POST',
    path: '/api/v1/lora/devices/import',
    tag,
    summary:
      'Makes the devices of a table with their keys, here and at ChirpStack, as a task; lines that fail are named there',
    permission: 'lora:write',
    audit: 'lora_device.import',
    wholeCompany: true,
    body: Type.Object({ productId: Id, existing: Type.Optional(Words(['update', 'skip'])) }),
    upload: { maxBytes: 16 * 1024 ** 2 },
    response: Type.Object({ taskId: Id, rows: Type.Integer() }),
  }),
}
