import { type Static, Type } from 'typebox'
import { CommandRequest } from './commands.contract.ts'
import { BATCH_ITEM_STATES } from './commands.words.ts'
import { Empty, Id, IdParams, IsoTime, Json, JsonObject, listOf, Nullable, Words } from './common.ts'
import { kindFilters, Within } from './devices.contract.ts'
import { ALARM_FILTERS, LINK_FILTERS } from './devices.words.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false }
const base = '/api/v1/command-batches'

export const BATCH_STATES = ['running', 'cancelling', 'done', 'cancelled'] as const
export type BatchItemState = (typeof BATCH_ITEM_STATES)[number]

export const CommandBatchView = Type.Object({
  id: Id,
  name: Type.String(),
  state: Words(BATCH_STATES),
  request: JsonObject,
  total: Type.Integer(),
  counts: Type.Record(Type.String(), Type.Integer(), { description: 'Devices by state' }),
  perSecond: Type.Integer(),
  ownerName: Type.String(),
  retryOf: Nullable(Id),
  createdAt: IsoTime,
  endedAt: Nullable(IsoTime),
})
export type CommandBatchView = Static<typeof CommandBatchView>

export const CommandBatchItem = Type.Object({
  position: Type.Integer(),
  deviceId: Id,
  deviceNo: Type.String(),
  deviceName: Type.String(),
  state: Words(BATCH_ITEM_STATES),
  commandId: Nullable(Id),
  errorCode: Nullable(Type.String()),
  message: Nullable(Type.String()),
  reply: Nullable(Json),
  finishedAt: Nullable(IsoTime),
})
export type CommandBatchItem = Static<typeof CommandBatchItem>

export const BatchTarget = Type.Object(
  {
    deviceIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100_000 })),
    groupId: Type.Optional(Id),
    productId: Type.Optional(Id),
    link: Type.Optional(Words(LINK_FILTERS)),
    alarmLevel: Type.Optional(Words(ALARM_FILTERS)),
    lifecycle: Type.Optional(Words(['inactive', 'active', 'disabled'])),
    tag: Type.Optional(Type.String({ maxLength: 64 })),
    userId: Type.Optional(Type.Union([Id, Words(['none'])])),
    within: Type.Optional(Within),
    ...kindFilters,
    all: Type.Optional(Type.Boolean({ description: 'Every device, where no filter is given' })),
    q: Type.Optional(Type.String({ maxLength: 128 })),
  },
  { ...closed, description: 'Devices by id, or all that fit every filter given (a group with what is below it)' },
)
export type BatchTarget = Static<typeof BatchTarget>

const itemFilter = { state: Type.Optional(Words(BATCH_ITEM_STATES)), q: Type.Optional(Type.String({ maxLength: 64 })) }

export const commandBatchesContract = {
  create: route({
    method: 'POST',
    path: base,
    tag: 'Commands',
    summary: 'Sends one command to many devices (up to 100,000); each gets it once, or a row that says why not',
    permission: 'device:command',
    audit: 'command_batch.create',
    status: 201,
    body: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        target: BatchTarget,
        command: CommandRequest,
        perSecond: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 200 })),
      },
      closed,
    ),
    response: CommandBatchView,
  }),
  list: route({
    method: 'GET',
    path: base,
    tag: 'Commands',
    summary: 'Batch commands, newest first',
    permission: 'device:read',
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      cursor: Type.Optional(Type.String({ maxLength: 256 })),
    }),
    response: listOf(CommandBatchView),
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag: 'Commands',
    summary: 'A batch command and how far it is',
    permission: 'device:read',
    params: IdParams,
    response: CommandBatchView,
  }),
  items: route({
    method: 'GET',
    path: `${base}/{id}/items`,
    tag: 'Commands',
    summary: 'What became of each device of a batch command',
    permission: 'device:read',
    params: IdParams,
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      cursor: Type.Optional(Type.String({ maxLength: 64 })),
      ...itemFilter,
    }),
    response: listOf(CommandBatchItem),
  }),
  export: route({
    method: 'GET',
    path: `${base}/{id}/export`,
    tag: 'Commands',
    summary: 'The results of a batch command as a table',
    permission: 'device:read',
    params: IdParams,
    query: Type.Object({ format: Words(['csv', 'xlsx']), ...itemFilter }),
    response: Empty,
    produces: 'text/csv',
  }),
  cancel: route({
    method: 'POST',
    path: `${base}/{id}/cancel`,
    tag: 'Commands',
    summary: 'Takes back what of a batch command has not left yet',
    permission: 'device:command',
    audit: 'command_batch.cancel',
    params: IdParams,
    response: CommandBatchView,
  }),
  retry: route({
    method: 'POST',
    path: `${base}/{id}/retry`,
    tag: 'Commands',
    summary: 'The same command once more, for those devices that it failed on',
    permission: 'device:command',
    audit: 'command_batch.create',
    status: 201,
    params: IdParams,
    body: Type.Object(
      { acknowledged: Type.Optional(Type.Boolean()), pin: Type.Optional(Type.String({ maxLength: 12 })) },
      closed,
    ),
    response: CommandBatchView,
  }),
}
