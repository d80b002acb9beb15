import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { FENCE_KINDS, FENCE_LIMITS } from './geofences.words.ts'
import { route } from './route.ts'
import { TriggerScope } from './trigger-schemas.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/geofences'
const tag = 'Geofences'

const Point = Type.Object({
  lng: Type.Number({ description: 'WGS 84, degrees' }),
  lat: Type.Number(),
})

/** A circle has a centre and a radius, a polygon has points; the server names the field that does not fit. */
export const FenceShape = Type.Object(
  {
    kind: Words(FENCE_KINDS),
    centre: Type.Optional(Point),
    radius: Type.Optional(Type.Number({ description: `Metres, above 0, at most ${FENCE_LIMITS.radius}` })),
    points: Type.Optional(
      Type.Array(Point, {
        maxItems: FENCE_LIMITS.points,
        description: 'At least three, in order, the first not repeated; sides are the shorter way round the earth',
      }),
    ),
  },
  closed,
)
export type FenceShape = Static<typeof FenceShape>

const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })
const Scope = Nullable(
  Type.Object(TriggerScope.properties, {
    ...closed,
    description: 'Devices that it is for: exactly one of the four; null: all',
  }),
)
const facts = {
  name: Name,
  shape: FenceShape,
  colour: Type.Optional(Colour),
  enabled: Type.Optional(Type.Boolean({ description: 'Absent: yes' })),
  remark: Type.Optional(Type.String({ maxLength: 512 })),
  scope: Type.Optional(Scope),
}

export const GeofenceView = Type.Object({
  id: Id,
  name: Type.String(),
  shape: FenceShape,
  colour: Type.String(),
  enabled: Type.Boolean(),
  remark: Type.String(),
  scope: Scope,
  /** Names of what the scope chooses, in its order; null: it is gone, or the caller may not see it. */
  scopeNames: Type.Array(Nullable(Type.String())),
  inside: Nullable(
    Type.Integer({ description: 'Devices that stand in it by their last position; null: it was not asked for' }),
  ),
  triggers: Type.Integer({ description: 'Triggers that the caller may see which ask for it' }),
  ownerName: Type.String(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type GeofenceView = Static<typeof GeofenceView>

const enabled = Type.Optional(Words(['0', '1']))

export const geofencesContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Geofences that the caller may see. Sorts: createdAt, name',
    permission: 'device:read',
    query: Type.Object({
      ...listQuery,
      enabled,
      inside: Type.Optional(Words(['0', '1'], { description: '1: with how many devices stand in each' })),
    }),
    response: listOf(GeofenceView),
  }),
  export: route({
    method: 'GET',
    path: `${base}/export`,
    tag,
    summary: 'The geofences of the search as a file, at most 100,000',
    permission: 'device:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, enabled, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  create: route({
    method: 'POST',
    path: base,
    tag,
    summary: 'Adds a geofence',
    permission: 'trigger:write',
    audit: 'geofence.create',
    status: 201,
    body: Type.Object(facts, closed),
    example: {
      body: {
        name: 'Depot',
        shape: { kind: 'circle', centre: { lng: 120.16, lat: 30.25 }, radius: 500 },
        colour: '#1677ff',
      },
    },
    response: GeofenceView,
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag,
    summary: 'One geofence',
    permission: 'device:read',
    params: IdParams,
    response: GeofenceView,
  }),
  devices: route({
    method: 'GET',
    path: `${base}/{id}/devices`,
    tag,
    summary: 'Devices of its scope that stand in it by their last position',
    permission: 'device:read',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Id,
          name: Type.String(),
          deviceNo: Type.String(),
          place: Point,
          at: Nullable(IsoTime),
        }),
        { description: 'The first 200 by name' },
      ),
      count: Type.Integer(),
      truncated: Type.Boolean({ description: 'The scope holds more devices than were looked at' }),
    }),
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    tag,
    summary: 'Changes a geofence; triggers judge by the new one within a second',
    permission: 'trigger:write',
    audit: 'geofence.update',
    params: IdParams,
    body: Type.Object(
      { version: Version, ...facts, name: Type.Optional(Name), shape: Type.Optional(FenceShape) },
      closed,
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', name: 'Depot south' } },
    response: GeofenceView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag,
    summary: 'Removes a geofence; triggers that ask for it go into the state error and say why',
    permission: 'trigger:write',
    audit: 'geofence.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
