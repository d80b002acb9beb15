import { randomUUID } from 'node:crypto'
import grpcPb, { type IDeviceServiceServer } from '@chirpstack/chirpstack-api/api/device_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/device_pb.js'
import { type Calls, invalid, notFound } from './calls.ts'

export interface QueueItem {
  id: string
  devEui: string
  port: number
  confirmed: boolean
  data: Uint8Array
  object: unknown
}

export interface SimulatedDevice {
  devEui: string
  name: string
  profileId: string
  fCnt: number
  queue: QueueItem[]
}

/** DeviceService, as far as the queue of a device goes. */
export function deviceService(
  call: Calls,
  devices: ReadonlyMap<string, SimulatedDevice>,
  tenantId: string,
): [typeof grpcPb.DeviceServiceService, IDeviceServiceServer] {
  return [
    grpcPb.DeviceServiceService,
    {
      enqueue: call(
        'DeviceService.Enqueue',
        (request: InstanceType<typeof pb.EnqueueDeviceQueueItemRequest>, access) => {
          access.tenant(tenantId)
          const item = request.getQueueItem()
          if (!item) throw invalid('queue_item is missing')
          const device = devices.get(item.getDevEui())
          if (!device) throw notFound(item.getDevEui())
          if (item.getFPort() < 1 || item.getFPort() > 255) throw invalid('f_port must be between 1 - 255')
          const id = randomUUID()
          if (request.getFlushQueue()) device.queue.length = 0
          device.queue.push({
            id,
            devEui: device.devEui,
            port: item.getFPort(),
            confirmed: item.getConfirmed(),
            data: item.getData_asU8(),
            object: item.getObject()?.toJavaScript() ?? null,
          })
          const reply = new pb.EnqueueDeviceQueueItemResponse()
          reply.setId(id)
          return reply
        },
      ),
    } as unknown as IDeviceServiceServer,
  ]
}
