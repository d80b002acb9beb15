import { deviceMapContract } from '@thingwright/contracts/device-map.contract'
import { devicesContract } from '@thingwright/contracts/devices.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { MapTiles } from '../../lib/map-tiles.ts'
import { exportDevices } from './device-export.ts'
import type { DeviceLifecycleService } from './device-lifecycle.service.ts'
import type { DeviceLinkService } from './device-link.service.ts'
import { devicesOnMap } from './device-map.service.ts'
import type { DevicesService } from './devices.service.ts'

export function devicesRoutes(
  devices: DevicesService,
  lifecycle: DeviceLifecycleService,
  link: DeviceLinkService,
  database: Database,
  mapTiles: MapTiles | null,
): BoundRoute[] {
  return [
    bind(devicesContract.list, (ctx, { query }) => devices.list(ctx, query)),
    bind(devicesContract.export, (ctx, { query }) => exportDevices(database, devices, ctx, query)),
    bind(deviceMapContract.cells, (ctx, { query }) => devicesOnMap(database, ctx, query)),
    bind(deviceMapContract.tiles, async () => ({ tiles: mapTiles })),
    bind(devicesContract.counts, ctx => devices.counts(ctx)),
    bind(devicesContract.create, (ctx, { body }) => devices.create(ctx, body)),
    bind(devicesContract.get, (ctx, { params }) => devices.get(ctx, params.id)),
    bind(devicesContract.update, (ctx, { params, body }) => devices.update(ctx, params.id, body)),
    bind(devicesContract.remove, (ctx, { params }) => lifecycle.remove(ctx, params.id)),
    bind(devicesContract.restore, (ctx, { params }) => lifecycle.restore(ctx, params.id)),
    bind(devicesContract.enable, (ctx, { params }) => lifecycle.enable(ctx, params.id)),
    bind(devicesContract.disable, (ctx, { params }) => lifecycle.disable(ctx, params.id)),
    bind(devicesContract.rotateSecret, (ctx, { params, body }) => link.rotateSecret(ctx, params.id, body)),
    bind(devicesContract.session, (ctx, { params }) => link.session(ctx, params.id)),
    bind(devicesContract.kick, (ctx, { params }) => link.kick(ctx, params.id)),
    bind(devicesContract.access, (ctx, { params }) => link.access(ctx, params.id)),
    bind(devicesContract.productAccess, (ctx, { params }) => link.productAccess(ctx, params.id)),
    bind(devicesContract.shadow, (ctx, { params }) => link.shadow(ctx, params.id)),
  ]
}
