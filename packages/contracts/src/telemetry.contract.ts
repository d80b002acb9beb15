import { type Static, Type } from 'typebox'
import { EpochMs, Id, IdParams, IsoTime, Json, JsonObject, Nullable, Words } from './common.ts'
import { LEVELS } from './levels.words.ts'
import { route } from './route.ts'
import { MESSAGE_KINDS, QUALITIES } from './telemetry.words.ts'

export { MESSAGE_KINDS } from './telemetry.words.ts'

const Time = Type.Union([Type.Integer(), Type.String({ maxLength: 40 })], { description: 'Epoch ms or ISO 8601' })
const Identifiers = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'One or more property identifiers, comma separated (at most 16)',
})
const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 128 })),
}

const messageFilters = {
  kind: Type.Optional(Words(MESSAGE_KINDS)),
  quality: Type.Optional(Words(QUALITIES)),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Text in values or bytes; hex digits after 0x: bytes' }),
  ),
}

export const MessageView = Type.Object({
  id: Type.String(),
  kind: Words(MESSAGE_KINDS),
  direction: Words(['up', 'down', 'none']),
  arrivedAt: IsoTime,
  ts: EpochMs,
  deviceTs: Nullable(EpochMs),
  quality: Words(QUALITIES),
  late: Type.Boolean(),
  /** Somebody acted as the device in the console. */
  simulated: Type.Boolean(),
  /** Of a command: its kind, identifier, params, state and reply. */
  values: Nullable(Json),
  refusedReason: Nullable(Type.String()),
  hex: Nullable(Type.String()),
  text: Nullable(Type.String()),
})
export type MessageView = Static<typeof MessageView>

export const telemetryContract = {
  latest: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/properties',
    tag: 'Telemetry',
    summary: 'Latest value of every property',
    permission: 'telemetry:read',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          identifier: Type.String(),
          value: Json,
          ts: EpochMs,
          quality: Words(QUALITIES),
          /** What the device had sent, where a mapping or a bound changed it. */
          raw: Type.Optional(Json),
        }),
      ),
    }),
  }),
  latestOfMany: route({
    method: 'GET',
    path: '/api/v1/device-values',
    tag: 'Telemetry',
    summary: 'Latest values of up to 100 devices, for lists; devices out of the caller’s sight are left out',
    permission: 'telemetry:read',
    query: Type.Object({
      ids: Type.String({ minLength: 36, maxLength: 3700, description: 'Ids of devices, comma separated' }),
      identifiers: Identifiers,
    }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Id,
          values: Type.Record(Type.String(), Type.Object({ value: Json, ts: EpochMs, quality: Words(QUALITIES) })),
        }),
      ),
    }),
  }),
  series: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/telemetry',
    tag: 'Telemetry',
    summary: 'Series for charts: at most `points` buckets of average, minimum and maximum',
    permission: 'telemetry:read',
    params: IdParams,
    query: Type.Object({
      identifier: Identifiers,
      from: Time,
      to: Time,
      points: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, default: 500 })),
    }),
    response: Type.Object({
      series: Type.Array(
        Type.Object({
          identifier: Type.String(),
          points: Type.Array(
            Type.Array(Type.Unsafe<number | null>({ type: ['number', 'null'] }), {
              description: '[ts, value, min, max]',
            }),
          ),
          resolutionMs: Type.Integer(),
        }),
      ),
    }),
  }),
  raw: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/telemetry/raw',
    tag: 'Telemetry',
    summary: 'Values as they were reported, oldest first',
    permission: 'telemetry:read',
    params: IdParams,
    query: Type.Object({
      identifier: Type.String({ minLength: 1, maxLength: 64 }),
      from: Time,
      to: Time,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10000, default: 1000 })),
      cursor: Type.Optional(Type.String({ maxLength: 128 })),
      detail: Type.Optional(Words(['0', '1'])),
    }),
    response: Type.Object({
      items: Type.Array(
        Type.Array(Json, { description: '[ts, value]; with detail=1 [ts, value, quality, raw value or null]' }),
      ),
      nextCursor: Nullable(Type.String()),
    }),
  }),
  exportCsv: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/telemetry/export',
    tag: 'Telemetry',
    summary:
      'Values in the time of the company, as CSV (UTF-8 with BOM) or as a workbook (a new sheet after a million rows), streamed',
    permission: 'telemetry:export',
    params: IdParams,
    produces: 'application/octet-stream',
    query: Type.Object({
      identifier: Identifiers,
      from: Time,
      to: Time,
      format: Type.Optional(Words(['csv', 'xlsx'], { description: 'csv when absent' })),
      heads: Type.Optional(
        Words(['names', 'identifiers'], { description: 'Over the columns; names with units when absent' }),
      ),
    }),
    response: Type.String(),
  }),
  messages: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/messages',
    tag: 'Telemetry',
    summary: 'Message log, newest first (the flight recorder’s window)',
    permission: 'telemetry:read',
    params: IdParams,
    query: Type.Object({ ...page, ...messageFilters }),
    response: Type.Object({
      items: Type.Array(MessageView),
      nextCursor: Nullable(Type.String()),
      /** A search looks at so many rows at once; there may be more behind `nextCursor` although the page is not full. */
      searchedTo: Nullable(IsoTime),
    }),
  }),
  exportMessages: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/messages/export',
    tag: 'Telemetry',
    summary: 'The message log of the filters as a stream, newest first, at most a million rows',
    permission: 'telemetry:export',
    params: IdParams,
    produces: 'application/octet-stream',
    query: Type.Object({ ...messageFilters, format: Words(['ndjson', 'csv']) }),
    response: Type.String(),
  }),
  events: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/events',
    tag: 'Telemetry',
    summary: 'Events the device reported, newest first',
    permission: 'telemetry:read',
    params: IdParams,
    query: Type.Object({ ...page, identifier: Type.Optional(Type.String({ maxLength: 64 })) }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Type.String(),
          identifier: Type.String(),
          level: Words(LEVELS),
          ts: EpochMs,
          params: JsonObject,
        }),
      ),
      nextCursor: Nullable(Type.String()),
    }),
  }),
  availability: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/availability',
    tag: 'Telemetry',
    summary: 'How much of each day the device was online, and why it went; days of the company’s time zone',
    permission: 'telemetry:read',
    params: IdParams,
    query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, default: 14 })) }),
    response: Type.Object({
      timeZone: Type.String(),
      items: Type.Array(
        Type.Object({
          day: Type.String({ description: 'YYYY-MM-DD' }),
          /** Counted part of the day: since the first sign of the device, up to now. */
          knownMs: Type.Integer(),
          onlineMs: Type.Integer(),
          /** Times it went offline, by reason. */
          reasons: Type.Record(Type.String(), Type.Integer()),
        }),
      ),
    }),
  }),
  connections: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/connections',
    tag: 'Telemetry',
    summary: 'Online and offline moments with their reasons, newest first',
    permission: 'telemetry:read',
    params: IdParams,
    query: Type.Object({ ...page }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Type.String(),
          kind: Words(['online', 'offline']),
          at: IsoTime,
          reason: Nullable(Type.String()),
          transport: Nullable(Type.String()),
          address: Nullable(Type.String()),
        }),
      ),
      nextCursor: Nullable(Type.String()),
    }),
  }),
}
