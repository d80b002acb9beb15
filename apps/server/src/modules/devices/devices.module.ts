import { deviceLinksContract } from '@thingwright/contracts/links.contract'
import { subDevicesContract } from '@thingwright/contracts/sub-devices.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { MapTiles } from '../../lib/map-tiles.ts'
import type { ModuleParts } from '../../lib/module.ts'
import {
  createDeviceLifecycleService,
  type DeviceLifecycleDeps,
  type DeviceLifecycleService,
} from './device-lifecycle.service.ts'
import { createDeviceLinkService, type DeviceLinkDeps, type DeviceLinkService } from './device-link.service.ts'
import { createDeviceModelService, type DeviceModelService, deviceModelRoutes } from './device-model.service.ts'
import { createDeviceOverridesService } from './device-overrides.service.ts'
import { ownedDevices } from './device-owner.repo.ts'
import { devicesAttention } from './devices.attention.ts'
import { devicesRoutes } from './devices.routes.ts'
import { devicesFound } from './devices.search.ts'
import { createDevicesService, type DevicesService, type DevicesServiceDeps } from './devices.service.ts'
import { createSubDevicesService, type SubDevicesService } from './sub-devices.service.ts'

export type DevicesDeps = DevicesServiceDeps &
  DeviceLifecycleDeps &
  DeviceLinkDeps & {
    /** Where maps take their tiles from; without: outlines. */
    mapTiles?: MapTiles | null
  }

export interface DevicesModule extends ModuleParts {
  service: DevicesService
  lifecycle: DeviceLifecycleService
  link: DeviceLinkService
  models: DeviceModelService
  subDevices: SubDevicesService
  routes: BoundRoute[]
}

export function createDevicesModule(deps: DevicesDeps): DevicesModule {
  const service = createDevicesService(deps)
  const lifecycle = createDeviceLifecycleService(deps)
  const link = createDeviceLinkService(deps)
  const subDevices = createSubDevicesService({ ...deps, devices: service })
  const models = createDeviceModelService(deps)
  return {
    service,
    lifecycle,
    link,
    models,
    subDevices,
    search: [devicesFound(service)],
    owned: [ownedDevices],
    attention: [devicesAttention(deps.database)],
    sweeps: [{ name: 'clearing deleted devices', run: () => lifecycle.purgePending(), once: true }],
    routes: [
      ...devicesRoutes(service, lifecycle, link, deps.database, deps.mapTiles ?? null),
      ...subDeviceRoutes(subDevices),
      ...overrideRoutes(deps),
      ...deviceModelRoutes(models),
    ],
  }
}

function overrideRoutes(deps: DevicesDeps): BoundRoute[] {
  const overrides = createDeviceOverridesService(deps)
  return [
    bind(deviceLinksContract.get, (ctx, { params }) => overrides.linkOverrides(ctx, params.id)),
    bind(deviceLinksContract.set, (ctx, { params, body }) => overrides.setLinkOverrides(ctx, params.id, body)),
  ]
}

function subDeviceRoutes(subDevices: SubDevicesService): BoundRoute[] {
  return [
    bind(subDevicesContract.list, (ctx, { params, query }) => subDevices.list(ctx, params.id, query)),
    bind(subDevicesContract.bind, (ctx, { params, body }) => subDevices.bind(ctx, params.id, body)),
    bind(subDevicesContract.unbind, (ctx, { params }) => subDevices.unbind(ctx, params.id, params.subId)),
    bind(subDevicesContract.gateway, (ctx, { params }) => subDevices.gateway(ctx, params.id)),
  ]
}
