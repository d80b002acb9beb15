import { deviceBatchesContract } from '@thingwright/contracts/device-batches.contract'
import { type BoundRoute, bind } from '../../../lib/http.ts'
import {
  createDeviceBatchesService,
  type DeviceBatchesDeps,
  type DeviceBatchesService,
} from './device-batches.service.ts'

export interface DeviceBatchesModule {
  service: DeviceBatchesService
  routes: BoundRoute[]
}

/** Changes of many devices at once, as background tasks. */
export function createDeviceBatches(deps: DeviceBatchesDeps): DeviceBatchesModule {
  const service = createDeviceBatchesService(deps)
  return {
    service,
    routes: [
      bind(deviceBatchesContract.preview, (ctx, { body }) => service.preview(ctx, body)),
      bind(deviceBatchesContract.create, (ctx, { body }) => service.create(ctx, body)),
      bind(deviceBatchesContract.get, (ctx, { params }) => service.get(ctx, params.id)),
      bind(deviceBatchesContract.retry, (ctx, { params }) => service.retry(ctx, params.id)),
    ],
  }
}
