import { randomUUID } from 'node:crypto'
import grpcPb, { type IMulticastGroupServiceServer } from '@chirpstack/chirpstack-api/api/multicast_group_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/multicast_group_pb.js'
import grpc from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { type Calls, invalid, notFound, Refusal } from './calls.ts'
import type { SimulatedDevice } from './device-service.ts'
import { matches, stamp, type Things } from './things.ts'

export interface KeptMulticastGroup {
  message: InstanceType<typeof pb.MulticastGroup>
  createdAt: number
  devEuis: Set<string>
  queue: { fCnt: number; port: number; data: Uint8Array }[]
}

const KEY = /^[0-9a-f]{32}$/

/** MulticastGroupService: groups of the tenant's applications, with their devices and queues. */
export function multicastService(
  call: Calls,
  things: Things,
  devices: Map<string, SimulatedDevice>,
  groups: Map<string, KeptMulticastGroup>,
  options: { now(): number },
): [typeof grpcPb.MulticastGroupServiceService, IMulticastGroupServiceServer] {
  const known = (id: string): KeptMulticastGroup => {
    const found = groups.get(id)
    if (!found) throw notFound(id)
    return found
  }
  const device = (devEui: string): SimulatedDevice => {
    const found = devices.get(devEui)
    if (!found) throw notFound(devEui)
    return found
  }
  return [
    grpcPb.MulticastGroupServiceService,
    {
      create: call(
        'MulticastGroupService.Create',
        (request: InstanceType<typeof pb.CreateMulticastGroupRequest>, access) => {
          access.tenant(things.tenant.id)
          const message = request.getMulticastGroup()
          if (!message) throw invalid('multicast_group is missing')
          if (!things.applications.some(({ id }) => id === message.getApplicationId()))
            throw notFound(message.getApplicationId())
          if (!/^[0-9a-f]{8}$/.test(message.getMcAddr())) throw invalid('mc_addr: Invalid string length')
          if (!KEY.test(message.getMcNwkSKey()) || !KEY.test(message.getMcAppSKey()))
            throw invalid('Invalid string length')
          const id = randomUUID()
          message.setId(id)
          groups.set(id, { message, createdAt: options.now(), devEuis: new Set(), queue: [] })
          const reply = new pb.CreateMulticastGroupResponse()
          reply.setId(id)
          return reply
        },
      ),
      get: call('MulticastGroupService.Get', (request: InstanceType<typeof pb.GetMulticastGroupRequest>, access) => {
        access.tenant(things.tenant.id)
        const { message, createdAt } = known(request.getId())
        const reply = new pb.GetMulticastGroupResponse()
        reply.setMulticastGroup(message)
        reply.setCreatedAt(stamp(createdAt))
        return reply
      }),
      delete: call(
        'MulticastGroupService.Delete',
        (request: InstanceType<typeof pb.DeleteMulticastGroupRequest>, access) => {
          access.tenant(things.tenant.id)
          known(request.getId())
          groups.delete(request.getId())
          return new empty.Empty()
        },
      ),
      list: call(
        'MulticastGroupService.List',
        (request: InstanceType<typeof pb.ListMulticastGroupsRequest>, access) => {
          access.tenant(request.getTenantId() || things.tenant.id)
          const found = [...groups.values()].filter(({ message }) => matches(message.getName(), request.getSearch()))
          const reply = new pb.ListMulticastGroupsResponse()
          reply.setTotalCount(found.length)
          for (const { message, createdAt } of found.slice(
            request.getOffset(),
            request.getOffset() + request.getLimit(),
          )) {
            const item = new pb.MulticastGroupListItem()
            item.setId(message.getId())
            item.setName(message.getName())
            item.setRegion(message.getRegion())
            item.setGroupType(message.getGroupType())
            item.setApplicationId(message.getApplicationId())
            item.setApplicationName(things.applications.find(({ id }) => id === message.getApplicationId())?.name ?? '')
            item.setCreatedAt(stamp(createdAt))
            reply.addResult(item)
          }
          return reply
        },
      ),
      addDevice: call(
        'MulticastGroupService.AddDevice',
        (request: InstanceType<typeof pb.AddDeviceToMulticastGroupRequest>, access) => {
          access.tenant(things.tenant.id)
          const { devEuis } = known(request.getMulticastGroupId())
          device(request.getDevEui())
          if (devEuis.has(request.getDevEui()))
            throw new Refusal(grpc.status.ALREADY_EXISTS, `Object already exists (id: ${request.getDevEui()})`)
          devEuis.add(request.getDevEui())
          return new empty.Empty()
        },
      ),
      removeDevice: call(
        'MulticastGroupService.RemoveDevice',
        (request: InstanceType<typeof pb.RemoveDeviceFromMulticastGroupRequest>, access) => {
          access.tenant(things.tenant.id)
          if (!known(request.getMulticastGroupId()).devEuis.delete(request.getDevEui()))
            throw notFound(request.getDevEui())
          return new empty.Empty()
        },
      ),
      enqueue: call(
        'MulticastGroupService.Enqueue',
        (request: InstanceType<typeof pb.EnqueueMulticastGroupQueueItemRequest>, access) => {
          access.tenant(things.tenant.id)
          const item = request.getQueueItem()
          if (!item) throw invalid('queue_item is missing')
          const { queue, message } = known(item.getMulticastGroupId())
          if (item.getFPort() === 0) throw invalid('FPort must be > 0')
          const fCnt = message.getFCnt()
          message.setFCnt(fCnt + 1)
          queue.push({ fCnt, port: item.getFPort(), data: item.getData_asU8() })
          const reply = new pb.EnqueueMulticastGroupQueueItemResponse()
          reply.setFCnt(fCnt)
          return reply
        },
      ),
      listQueue: call(
        'MulticastGroupService.ListQueue',
        (request: InstanceType<typeof pb.ListMulticastGroupQueueRequest>, access) => {
          access.tenant(things.tenant.id)
          const reply = new pb.ListMulticastGroupQueueResponse()
          for (const { fCnt, port, data } of known(request.getMulticastGroupId()).queue) {
            const item = new pb.MulticastGroupQueueItem()
            item.setMulticastGroupId(request.getMulticastGroupId())
            item.setFCnt(fCnt)
            item.setFPort(port)
            item.setData(data)
            reply.addItems(item)
          }
          return reply
        },
      ),
    } as unknown as IMulticastGroupServiceServer,
  ]
}
