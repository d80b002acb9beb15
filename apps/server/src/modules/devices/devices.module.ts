import type { BoundRoute } from '../../lib/http.ts'
import {
  createDeviceLifecycleService,
  type DeviceLifecycleDeps,
  type DeviceLifecycleService,
} from './device-lifecycle.service.ts'
import { createDeviceLinkService, type DeviceLinkDeps, type DeviceLinkService } from './device-link.service.ts'
import { devicesRoutes } from './devices.routes.ts'
import { createDevicesService, type DevicesService, type DevicesServiceDeps } from './devices.service.ts'

export type DevicesDeps = DevicesServiceDeps & DeviceLifecycleDeps & DeviceLinkDeps

export interface DevicesModule {
  service: DevicesService
  lifecycle: DeviceLifecycleService
  link: DeviceLinkService
  routes: BoundRoute[]
}

export function createDevicesModule(deps: DevicesDeps): DevicesModule {
  const service = createDevicesService(deps)
  const lifecycle = createDeviceLifecycleService(deps)
  const link = createDeviceLinkService(deps)
  return { service, lifecycle, link, routes: devicesRoutes(service, lifecycle, link) }
}
