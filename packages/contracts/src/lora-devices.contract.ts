import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, JsonObject, listOf, listQuery, Nullable, Ok, Words } from './common.ts'
import { LORA_LOCATION_SOURCES } from './lora.words.ts'
import { route } from './route.ts'

const strict = { additionalProperties: false } as const
const tag = 'LoRa'

export const LoraDeviceView = Type.Object({
  connectionId: Id,
  connectionName: Type.String(),
  simulated: Type.Boolean(),
  devEui: Type.String(),
  /** Its name in ChirpStack. */
  name: Type.String(),
  /** Ours: the device of a LoRaWAN product whose number is the DevEUI. Null: there is none. */
  deviceId: Nullable(Id),
  deviceName: Nullable(Type.String()),
  applicationId: Type.String(),
  profileName: Nullable(Type.String()),
  class: Words(['A', 'B', 'C']),
  devAddr: Nullable(Type.String()),
  lastSeenAt: Nullable(IsoTime),
  joinedAt: Nullable(IsoTime),
  /** The gateway that heard it best, and how well. */
  gatewayId: Nullable(Type.String()),
  gatewayName: Nullable(Type.String()),
  rssi: Nullable(Type.Integer({ description: 'dBm' })),
  snr: Nullable(Type.Number({ description: 'dB' })),
  dr: Nullable(Type.Integer()),
  frequency: Nullable(Type.Number({ description: 'Hz' })),
  fCnt: Nullable(Type.Number()),
  fPort: Nullable(Type.Integer()),
  battery: Nullable(Type.Number({ description: 'Percent' })),
  externalPower: Nullable(Type.Boolean()),
  margin: Nullable(Type.Integer({ description: 'dB' })),
  uplinks: Type.Number(),
  /** ChirpStack's last warning or error about it. */
  problem: Nullable(Type.Object({ level: Type.String(), code: Type.String(), text: Type.String() })),
  problemAt: Nullable(IsoTime),
  /** Where ChirpStack says that it is (event location). */
  location: Nullable(Type.Object({ lat: Type.Number(), lng: Type.Number(), alt: Type.Number() })),
  locationSource: Nullable(Words(LORA_LOCATION_SOURCES)),
  locationAt: Nullable(IsoTime),
})
export type LoraDeviceView = Static<typeof LoraDeviceView>

export const loraDevicesContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/lora/devices',
    tag,
    summary: 'Devices that a ChirpStack server spoke of: which of ours they are, and how they are heard',
    permission: 'lora:read',
    wholeCompany: true,
    query: Type.Object({
      ...listQuery,
      connectionId: Type.Optional(Id),
      deviceId: Type.Optional(Id),
      bound: Type.Optional(Words(['yes', 'no'])),
    }),
    response: listOf(LoraDeviceView),
  }),
}

export const loraCodecContract = {
  try: route({
    method: 'POST',
    path: '/api/v1/lora/codec/try',
    tag,
    summary: 'Runs a codec with a frame or with values; nothing is stored or sent',
    permission: 'lora:read',
    audit: { none: 'it changes nothing' },
    wholeCompany: true,
    body: Type.Object(
      {
        script: Type.String({ minLength: 1, maxLength: 131_072 }),
        direction: Words(['up', 'down']),
        hex: Type.Optional(
          Type.String({ maxLength: 2_000, pattern: '^[0-9A-Fa-f\\s]*$', description: 'Of up: the frame' }),
        ),
        object: Type.Optional(JsonObject),
        port: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
      },
      strict,
    ),
    example: {
      body: {
        script: 'function decodeUplink(input) { return { data: { count: input.bytes.length } } }',
        direction: 'up',
        hex: '01 02',
        port: 1,
      },
    },
    response: Type.Object({
      ok: Type.Boolean(),
      reason: Nullable(Words(['script_error', 'script_timeout', 'script_memory'])),
      error: Nullable(Type.String()),
      /** Of the script, from 1. */
      line: Nullable(Type.Integer()),
      data: Type.Unknown(),
      hex: Nullable(Type.String()),
      port: Nullable(Type.Integer()),
      logs: Type.Array(Type.String()),
      tookMs: Type.Number(),
    }),
  }),
}

export const loraCallbacksContract = {
  take: route({
    method: 'POST',
    path: '/callbacks/chirpstack/{id}',
    tag,
    summary: 'For ChirpStack’s HTTP integration (JSON): uplinks, joins, acknowledgements, status and log of devices',
    permission: 'public',
    audit: { none: 'a network server reports, nobody acts' },
    params: IdParams,
    query: Type.Object({ event: Type.String({ maxLength: 20 }) }),
    body: Type.Unknown(),
    response: Ok,
  }),
}
