import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Json, JsonObject, Nullable, Words } from './common.ts'
import { route } from './route.ts'

/** The way of a message, in order, and what watches it at its end; the doctor names the first step that is broken. */
export const DIAGNOSIS_STEPS = [
  'port',
  'sign_in',
  'frames',
  'parsing',
  'model',
  'storage',
  'commands',
  'alarms',
] as const

/** What the doctor can name. Stable words; the console has a sentence and a fix for each. */
export const DIAGNOSIS_CAUSES = [
  // port
  'gateway_down',
  'port_closed',
  'certificate_expired',
  'sim_stopped',
  'sim_data_off',
  'sim_moved',
  'lora_no_keys',
  'lora_not_registered',
  'lora_not_joined',
  'lora_gateway_offline',
  'lora_problem',
  // sign_in
  'company_closed',
  'product_unpublished',
  'device_disabled',
  'device_recycled',
  'secret_wrong',
  'secret_rotated',
  'credential_wrong',
  'certificate_refused',
  'certificate_revoked',
  'sign_in_clock',
  'sign_in_not_allowed',
  'registration_open',
  'number_wrong',
  'never_connected',
  'identity_shared',
  // frames
  'offline',
  'offline_delay_short',
  'no_frames',
  'topic_wrong',
  'frame_too_long',
  'message_too_large',
  'framing_wrong',
  'bus_silent',
  'bus_exception',
  'slave_not_polled',
  'flow_limited',
  'gateway_offline',
  // parsing
  'payload_not_json',
  'format_mismatch',
  'checksum_wrong',
  'script_failed',
  'sub_device_unknown',
  // model
  'property_unknown',
  'value_refused',
  'identifier_unknown',
  'clock_wild',
  'data_late',
  // storage
  'disk_full',
  'lanes_not_writing',
  'consumer_behind',
  'quota_messages',
  // commands
  'not_subscribed',
  'commands_waiting',
  'commands_unanswered',
  // alarms
  'alarms_open',
  'trigger_error',
  'trigger_paused',
  'in_maintenance',
  'camera_account',
  'camera_offline',
] as const

/** What may be done about a cause; the console makes a link or a button of each. */
export const DIAGNOSIS_FIXES = [
  'open_device_link',
  'rotate_secret',
  'enable_device',
  'restore_device',
  'kick',
  'raise_offline_delay',
  'open_log',
  'open_frames',
  'open_gateway',
  'publish_product',
  'open_product_link',
  'open_format',
  'open_model',
  'open_company',
  'open_sim_card',
  'open_lora',
  'open_alarms',
  'open_triggers',
  'open_cameras',
  'tell_operator',
] as const

export const DiagnosisFinding = Type.Object({
  cause: Words(DIAGNOSIS_CAUSES),
  severity: Words(['broken', 'warning']),
  /** When it last showed. */
  at: Nullable(IsoTime),
  /** Evidence: addresses, reasons, identifiers, counts. */
  params: JsonObject,
  /** The bytes that failed, when that is the evidence; at most 8 KB. */
  hex: Nullable(Type.String()),
  fixes: Type.Array(Words(DIAGNOSIS_FIXES)),
})
export type DiagnosisFinding = Static<typeof DiagnosisFinding>

export const DiagnosisStep = Type.Object({
  step: Words(DIAGNOSIS_STEPS),
  /** unknown: the message does not get this far, or there was none yet. */
  state: Words(['ok', 'warning', 'broken', 'unknown']),
  /** What speaks for it: last sign-in, last frame, counts. */
  facts: JsonObject,
  findings: Type.Array(DiagnosisFinding),
})
export type DiagnosisStep = Static<typeof DiagnosisStep>

export const Diagnosis = Type.Object({
  at: IsoTime,
  /** waiting: nothing is known to be wrong, and nothing has come yet. */
  verdict: Words(['healthy', 'warning', 'broken', 'waiting']),
  /** Of the first broken step, or else of the first with a warning. */
  step: Nullable(Words(DIAGNOSIS_STEPS)),
  cause: Nullable(Words(DIAGNOSIS_CAUSES)),
  steps: Type.Array(DiagnosisStep),
})
export type Diagnosis = Static<typeof Diagnosis>

export const FrameView = Type.Object({
  id: Type.String(),
  at: IsoTime,
  direction: Words(['up', 'down']),
  hex: Type.String({ description: 'At most the first 8 KB' }),
  size: Type.Integer({ description: 'Bytes of the whole frame' }),
  channel: Type.String(),
  note: Type.String(),
})
export type FrameView = Static<typeof FrameView>

export const RefusedSignIn = Type.Object({
  deviceNo: Type.String(),
  /** The device, when the number is one of the product's. */
  deviceId: Nullable(Id),
  reason: Type.String(),
  transport: Type.String(),
  address: Type.String(),
  firstAt: IsoTime,
  lastAt: IsoTime,
  count: Type.Integer(),
})
export type RefusedSignIn = Static<typeof RefusedSignIn>

const Payload = Type.Unsafe<Record<string, unknown>>({ type: 'object', maxProperties: 500 })
const Identifier = Type.String({ minLength: 1, maxLength: 64 })
const Hex = Type.String({ minLength: 2, maxLength: 16384, pattern: '^([0-9a-fA-F]{2})+$' })
const closed = { additionalProperties: false } as const

/** What a person lets the device do. */
export const SimulatedAction = Type.Union([
  Type.Object({ kind: Type.Literal('open') }, closed),
  Type.Object({ kind: Type.Literal('close') }, closed),
  Type.Object({ kind: Type.Literal('property'), values: Payload }, closed),
  Type.Object({ kind: Type.Literal('event'), identifier: Identifier, params: Payload }, closed),
  Type.Object({ kind: Type.Literal('raw'), hex: Hex }, closed),
  Type.Object(
    {
      kind: Type.Literal('reply'),
      commandId: Id,
      code: Type.Integer({ minimum: -32768, maximum: 32767, description: '0: done' }),
      message: Type.Optional(Type.String({ maxLength: 200 })),
      data: Type.Optional(Json),
    },
    closed,
  ),
])
export type SimulatedAction = Static<typeof SimulatedAction>

export const diagnosisContract = {
  device: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/diagnosis',
    tag: 'Diagnosis',
    summary: 'Walks the way of the device’s messages and names the first broken step, with evidence',
    permission: 'device:read',
    params: IdParams,
    response: Diagnosis,
  }),
  frames: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/frames',
    tag: 'Diagnosis',
    summary: 'The last 100 raw frames of a device that the gateway has in memory, oldest first',
    permission: 'telemetry:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(FrameView) }),
  }),
  refusedSignIns: route({
    method: 'GET',
    path: '/api/v1/products/{id}/refused-sign-ins',
    tag: 'Diagnosis',
    summary: 'The last refused sign-ins with the key of a product, also of numbers that no device has',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(RefusedSignIn) }),
  }),
  send: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/terminal',
    tag: 'Diagnosis',
    summary: 'Writes bytes to a connected device as they are; refused when its link cannot carry them',
    permission: 'device:command',
    audit: 'device.send_raw',
    params: IdParams,
    body: Type.Object(
      {
        hex: Hex,
        acknowledged: Type.Optional(Type.Boolean({ description: 'The second yes to dangerous bytes' })),
        pin: Type.Optional(Type.String({ maxLength: 12 })),
      },
      closed,
    ),
    response: Type.Object({ size: Type.Integer(), at: IsoTime }),
  }),
  simulate: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/simulate',
    tag: 'Diagnosis',
    summary: 'Acts as the device: the message takes the way of every message; the log marks it as simulated',
    permission: 'device:write',
    audit: 'device.simulate',
    params: IdParams,
    body: SimulatedAction,
    response: Type.Object({
      outcome: Words(['stored', 'refused', 'open', 'closed']),
      /** Why the message would be refused from a real device too. */
      reason: Nullable(Type.String()),
    }),
  }),
}
