import { deviceImportsContract } from '@thingwright/contracts/device-imports.contract'
import { type BoundRoute, bind } from '../../../lib/http.ts'
import {
  createDeviceImportsService,
  type DeviceImportsDeps,
  type DeviceImportsService,
} from './device-imports.service.ts'

export interface DeviceImportsModule {
  service: DeviceImportsService
  routes: BoundRoute[]
}

/** Devices, and values of their past, from tables that people upload. */
export function createDeviceImports(deps: DeviceImportsDeps): DeviceImportsModule {
  const service = createDeviceImportsService(deps)
  return {
    service,
    routes: [
      bind(deviceImportsContract.template, (ctx, { query }) => service.template(ctx, query)),
      bind(deviceImportsContract.upload, (ctx, { body }, { file }) => service.upload(ctx, body, file)),
      bind(deviceImportsContract.create, (ctx, { body }) => service.create(ctx, body)),
      bind(deviceImportsContract.get, (ctx, { params }) => service.get(ctx, params.id)),
      bind(deviceImportsContract.secrets, (ctx, { params }) => service.secrets(ctx, params.id)),
    ],
  }
}
