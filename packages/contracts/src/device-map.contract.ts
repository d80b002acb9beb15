import { type Static, Type } from 'typebox'
import { Id, listQuery, Nullable, Words } from './common.ts'
import { deviceFilters, Link } from './devices.contract.ts'
import { route } from './route.ts'

const Lng = Type.Number({ minimum: -180, maximum: 180 })
const Lat = Type.Number({ minimum: -90, maximum: 90 })

/** One device, or those that stand so near to each other that one mark stands for all. */
export const MapCell = Type.Object({
  lng: Type.Number({ description: 'WGS 84, degrees; of several their middle' }),
  lat: Type.Number(),
  count: Type.Integer(),
  online: Type.Integer(),
  alarms: Type.Integer({ description: 'Devices with an open alarm' }),
  alarmLevel: Type.Integer({ description: 'The gravest open alarm among them, 0 without one' }),
  west: Type.Number(),
  south: Type.Number(),
  east: Type.Number(),
  north: Type.Number(),
  device: Nullable(
    Type.Object({
      id: Id,
      name: Type.String(),
      deviceNo: Type.String(),
      productName: Type.String(),
      link: Link,
    }),
  ),
})
export type MapCell = Static<typeof MapCell>

/** A service that draws the land below the marks. */
export const MapTilesView = Type.Object({
  source: Words(['tianditu', 'amap', 'tencent', 'own']),
  datum: Words(['wgs84', 'gcj02']),
  layers: Type.Array(
    Type.String({ description: 'Address of a tile with {x}, {y} or {-y} (from the south), {z} and {s}' }),
  ),
  servers: Type.Array(Type.String({ description: 'What {s} is, in turn' })),
  levels: Type.Integer({ description: 'The closest {z}' }),
  note: Type.String({ description: 'What the service wants shown' }),
})
export type MapTilesView = Static<typeof MapTilesView>

export const deviceMapContract = {
  tiles: route({
    method: 'GET',
    path: '/api/v1/device-map/tiles',
    tag: 'Devices',
    summary: 'Where maps take their tiles from; null: they are outlines of the console itself',
    permission: 'device:read',
    response: Type.Object({ tiles: Nullable(MapTilesView) }),
  }),
  cells: route({
    method: 'GET',
    path: '/api/v1/device-map',
    tag: 'Devices',
    summary: 'Devices of a part of the map: each by itself up to 200, beyond that by cells of so many degrees',
    permission: 'device:read',
    query: Type.Object({
      q: listQuery.q,
      ...deviceFilters,
      west: Lng,
      south: Lat,
      east: Type.Number({
        minimum: -180,
        maximum: 180,
        description: 'West of `west`: the part lies across 180 degrees',
      }),
      north: Lat,
      cell: Type.Number({ minimum: 0.000_01, maximum: 90, description: 'Side of a cell, degrees' }),
    }),
    response: Type.Object({
      items: Type.Array(MapCell),
      count: Type.Integer({ description: 'Devices in this part' }),
      located: Type.Integer({ description: 'Of all that the filters leave, those with a place' }),
      unlocated: Type.Integer({ description: 'And those without one' }),
      truncated: Type.Boolean({ description: 'There are more cells than are answered' }),
    }),
  }),
}
