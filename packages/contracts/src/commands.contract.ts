import { type Static, Type } from 'typebox'
import { CommandConfirm, Timeout } from './command-schemas.ts'
import { COMMAND_STATES } from './commands.words.ts'
import { Id, IdParams, IsoTime, Json, JsonObject, Nullable, Words } from './common.ts'
import { route } from './route.ts'

export { COMMAND_STATES } from './commands.words.ts'

export const COMMAND_SOURCES = [
  'user',
  'api',
  'trigger',
  'timed_task',
  'assistant',
  'page',
  'schedule',
  'firmware',
] as const

/** `firmware`: the notice of a package, put there by a campaign and never by a person. */
export const COMMAND_KINDS = ['property_set', 'service', 'raw', 'firmware'] as const

/** How a command went down to a LoRaWAN device, where that was chosen. */
export const LoraWay = Type.Object({
  port: Nullable(Type.Integer({ description: 'null: the port of the last uplink' })),
  confirmed: Type.Boolean(),
  expiresAt: Nullable(IsoTime),
})
export type LoraWay = Static<typeof LoraWay>

/** What can be chosen of the way down to a LoRaWAN device. */
const LoraChoice = Type.Object(
  {
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 223, description: 'fPort; the one of the last uplink without it' }),
    ),
    confirmed: Type.Optional(
      Type.Boolean({
        description:
          'Whether the device acknowledges it; true without it. What is not acknowledged has ended when a gateway sent it',
      }),
    ),
    expires: Type.Optional(
      Type.Boolean({
        description: 'The network server drops it too at expiresAt; without it, it waits there for ever',
      }),
    ),
  },
  { additionalProperties: false, description: 'Of LoRaWAN devices only' },
)

export const CommandView = Type.Object({
  id: Id,
  deviceId: Id,
  kind: Words(COMMAND_KINDS),
  identifier: Nullable(Type.String()),
  params: JsonObject,
  state: Words(COMMAND_STATES),
  source: Words(COMMAND_SOURCES),
  operatorName: Type.String(),
  timeoutMs: Type.Integer(),
  attempt: Type.Integer(),
  expiresAt: IsoTime,
  createdAt: IsoTime,
  sentAt: Nullable(IsoTime),
  deliveredAt: Nullable(IsoTime),
  finishedAt: Nullable(IsoTime),
  reply: Nullable(Json),
  errorCode: Nullable(Type.String()),
  errorMessage: Nullable(Type.String()),
  confirm: CommandConfirm,
  retries: Type.Integer(),
  frames: Nullable(Type.Array(Type.String(), { description: 'The bytes that left, as hex' })),
  readBack: Nullable(JsonObject),
  template: Nullable(Type.Object({ id: Id, name: Type.String(), params: JsonObject })),
  batchId: Nullable(Id),
  lora: Nullable(LoraWay),
})
export type CommandView = Static<typeof CommandView>

/** What is to be sent: properties, a service, bytes as they are, or a named command of the product. */
export const CommandRequest = Type.Object(
  {
    kind: Words(['property_set', 'service', 'raw', 'template']),
    identifier: Type.Optional(
      Type.String({ maxLength: 64, description: 'Of a service; of a template its code (or templateId)' }),
    ),
    templateId: Type.Optional(Id),
    params: Type.Optional(JsonObject),
    payload: Type.Optional(
      Type.Object({
        hex: Type.Optional(Type.String({ maxLength: 16384 })),
        text: Type.Optional(Type.String({ maxLength: 8192 })),
      }),
    ),
    confirm: Type.Optional(CommandConfirm),
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 5 })),
    timeoutMs: Timeout,
    expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
    lora: Type.Optional(LoraChoice),
    acknowledged: Type.Optional(Type.Boolean({ description: 'The second yes to a dangerous command' })),
    pin: Type.Optional(Type.String({ maxLength: 12 })),
  },
  { additionalProperties: false },
)
export type CommandRequest = Static<typeof CommandRequest>

const CommandParams = Type.Object({ id: Id, commandId: Id })

export const commandsContract = {
  create: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/commands',
    tag: 'Commands',
    summary: 'Sends a command, or queues it until the device is there',
    permission: 'device:command',
    audit: 'command.create',
    params: IdParams,
    status: 201,
    body: CommandRequest,
    response: CommandView,
  }),
  list: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/commands',
    tag: 'Commands',
    summary: 'Commands of a device, newest first',
    permission: 'device:read',
    params: IdParams,
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      cursor: Type.Optional(Type.String({ maxLength: 64 })),
      state: Type.Optional(Words(COMMAND_STATES)),
      kind: Type.Optional(Words(COMMAND_KINDS)),
      source: Type.Optional(Words(COMMAND_SOURCES)),
    }),
    response: Type.Object({ items: Type.Array(CommandView), nextCursor: Nullable(Type.String()) }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/commands/{commandId}',
    tag: 'Commands',
    summary: 'One command',
    permission: 'device:read',
    params: CommandParams,
    response: CommandView,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/commands/{commandId}/cancel',
    tag: 'Commands',
    summary: 'Takes a queued command back',
    permission: 'device:command',
    audit: 'command.cancel',
    params: CommandParams,
    response: CommandView,
  }),
}
