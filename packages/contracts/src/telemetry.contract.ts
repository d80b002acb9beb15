import { Type } from 'typebox'
import { EpochMs, IdParams, IsoTime, Json, JsonObject, Nullable, Words } from './common.ts'
import { route } from './route.ts'

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
          quality: Words(['good', 'uncertain', 'bad']),
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
    }),
    response: Type.Object({
      items: Type.Array(Type.Array(Json, { description: '[ts, value]' })),
      nextCursor: Nullable(Type.String()),
    }),
  }),
  exportCsv: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/telemetry/export',
    tag: 'Telemetry',
    summary: 'Values as CSV (UTF-8 with BOM), streamed',
    permission: 'telemetry:export',
    params: IdParams,
    produces: 'text/csv; charset=utf-8',
    query: Type.Object({ identifier: Identifiers, from: Time, to: Time }),
    response: Type.String(),
  }),
  messages: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/messages',
    tag: 'Telemetry',
    summary: 'Message log, newest first (the flight recorder’s window)',
    permission: 'telemetry:read',
    params: IdParams,
    query: Type.Object({
      ...page,
      kind: Type.Optional(Words(['property', 'event', 'reply', 'online', 'offline', 'refused'])),
    }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Type.String(),
          kind: Words(['property', 'event', 'reply', 'online', 'offline', 'refused']),
          arrivedAt: IsoTime,
          ts: EpochMs,
          deviceTs: Nullable(EpochMs),
          quality: Words(['good', 'uncertain', 'bad']),
          late: Type.Boolean(),
          values: Nullable(Json),
          refusedReason: Nullable(Type.String()),
          hex: Nullable(Type.String()),
          text: Nullable(Type.String()),
        }),
      ),
      nextCursor: Nullable(Type.String()),
    }),
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
          level: Words(['info', 'warning', 'error']),
          ts: EpochMs,
          params: JsonObject,
        }),
      ),
      nextCursor: Nullable(Type.String()),
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
