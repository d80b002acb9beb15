import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Nullable, Ok, Words } from './common.ts'
import { LORA_MULTICAST_TYPES, LORA_REGIONS } from './lora.words.ts'
import { route } from './route.ts'

const strict = { additionalProperties: false } as const
const tag = 'LoRa'

/** Ids of ChirpStack are its own. */
const RemoteId = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' })
const Eui = Type.String({ pattern: '^[0-9A-Fa-f]{16}$', description: '16 hex digits' })
const Key = Type.String({ pattern: '^[0-9A-Fa-f]{32}$', description: '32 hex digits' })
const path = '/api/v1/lora/connections/{id}/multicast-groups'
const GroupParams = Type.Object({ id: Id, groupId: RemoteId })

const known = {
  groupId: Type.String(),
  name: Type.String(),
  applicationId: Type.String(),
  applicationName: Type.String(),
  region: Words(LORA_REGIONS),
  type: Words(LORA_MULTICAST_TYPES),
}
export const LoraMulticastItem = Type.Object({ ...known, createdAt: Nullable(IsoTime) })
export type LoraMulticastItem = Static<typeof LoraMulticastItem>

/** A group whole; its keys stay in ChirpStack. */
export const LoraMulticastView = Type.Object({
  ...known,
  mcAddr: Type.String(),
  fCnt: Type.Number(),
  dr: Type.Integer(),
  frequency: Type.Number({ description: 'Hz' }),
  pingSlotPeriodicity: Type.Integer(),
  devices: Type.Array(
    Type.Object({
      devEui: Type.String(),
      /** Its name in ChirpStack. */
      name: Type.String(),
    }),
  ),
  queue: Type.Array(Type.Object({ fCnt: Type.Number(), port: Type.Integer(), hex: Type.String() })),
})
export type LoraMulticastView = Static<typeof LoraMulticastView>

export const loraMulticastContract = {
  list: route({
    method: 'GET',
    path,
    tag,
    summary: 'Multicast groups of the ChirpStack tenant, as it has them now',
    permission: 'lora:read',
    wholeCompany: true,
    params: IdParams,
    response: Type.Object({ items: Type.Array(LoraMulticastItem) }),
  }),
  create: route({
    method: 'POST',
    path,
    tag,
    summary: 'Makes a multicast group in ChirpStack; its keys are not kept here',
    permission: 'lora:write',
    audit: 'lora_multicast.create',
    wholeCompany: true,
    status: 201,
    params: IdParams,
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 100 }),
        applicationId: RemoteId,
        region: Words(LORA_REGIONS),
        type: Words(LORA_MULTICAST_TYPES),
        mcAddr: Type.String({ pattern: '^[0-9A-Fa-f]{8}$', description: '8 hex digits' }),
        mcNwkSKey: Key,
        mcAppSKey: Key,
        dr: Type.Integer({ minimum: 0, maximum: 15 }),
        frequency: Type.Integer({ minimum: 100_000_000, maximum: 2_500_000_000, description: 'Hz' }),
        pingSlotPeriodicity: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 7, description: 'Of class B: every 2^n seconds' }),
        ),
      },
      strict,
    ),
    response: LoraMulticastView,
  }),
  get: route({
    method: 'GET',
    path: `${path}/{groupId}`,
    tag,
    summary: 'A multicast group with its devices and its queue',
    permission: 'lora:read',
    wholeCompany: true,
    params: GroupParams,
    response: LoraMulticastView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${path}/{groupId}`,
    tag,
    summary: 'Removes a multicast group from ChirpStack; its devices stay',
    permission: 'lora:write',
    audit: 'lora_multicast.remove',
    wholeCompany: true,
    params: GroupParams,
    response: Ok,
  }),
  addDevices: route({
    method: 'POST',
    path: `${path}/{groupId}/devices`,
    tag,
    summary:
      'Puts devices of the application into a group; those that ChirpStack refuses are named, the others are in it',
    permission: 'lora:write',
    audit: 'lora_multicast.add_devices',
    wholeCompany: true,
    params: GroupParams,
    body: Type.Object({ devEuis: Type.Array(Eui, { minItems: 1, maxItems: 200, uniqueItems: true }) }, strict),
    response: Type.Object({
      added: Type.Integer(),
      failed: Type.Array(Type.Object({ devEui: Type.String(), text: Type.String() })),
      group: LoraMulticastView,
    }),
  }),
  removeDevice: route({
    method: 'DELETE',
    path: `${path}/{groupId}/devices/{devEui}`,
    tag,
    summary: 'Takes a device out of a group',
    permission: 'lora:write',
    audit: 'lora_multicast.remove_device',
    wholeCompany: true,
    params: Type.Object({ id: Id, groupId: RemoteId, devEui: Eui }),
    response: LoraMulticastView,
  }),
  send: route({
    method: 'POST',
    path: `${path}/{groupId}/queue`,
    tag,
    summary: 'Puts a frame for all devices of a group into its queue; nothing acknowledges it',
    permission: 'lora:write',
    audit: 'lora_multicast.send',
    wholeCompany: true,
    params: GroupParams,
    body: Type.Object(
      {
        port: Type.Integer({ minimum: 1, maximum: 223 }),
        hex: Type.String({ minLength: 2, maxLength: 484, pattern: '^([0-9A-Fa-f]{2})+$' }),
      },
      strict,
    ),
    response: LoraMulticastView,
  }),
}
