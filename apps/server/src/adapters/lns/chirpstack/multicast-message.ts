import deviceGrpc from '@chirpstack/chirpstack-api/api/device_grpc_pb.js'
import devicePb from '@chirpstack/chirpstack-api/api/device_pb.js'
import multicastGrpc from '@chirpstack/chirpstack-api/api/multicast_group_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/multicast_group_pb.js'
import {
  LnsError,
  type LnsMulticast,
  type LnsMulticastFields,
  type LnsMulticastItem,
} from '../../../modules/lora/lns.port.ts'
import { type Asking, timeOf } from './channel.ts'
import { MULTICAST_TYPE, REGION } from './words.ts'

const { MulticastGroupServiceClient } = multicastGrpc
/** Reads a list page by page. */
type All = <Item>(page: (offset: number) => Promise<{ items: Item[]; total: number }>) => Promise<Item[]>

/** MulticastGroupService of a tenant. @param page rows that are asked for at once */
export function multicastOf(ask: Asking, tenantId: string, all: All, page: number) {
  return {
    multicastGroups: (): Promise<LnsMulticastItem[]> =>
      all(async offset => {
        const request = new pb.ListMulticastGroupsRequest()
        request.setLimit(page)
        request.setOffset(offset)
        request.setTenantId(tenantId)
        const reply = await ask(MulticastGroupServiceClient, client => client.list, request)
        return {
          items: reply.getResultList().map(item => ({
            groupId: item.getId(),
            name: item.getName(),
            applicationId: item.getApplicationId(),
            applicationName: item.getApplicationName(),
            region: REGION.word(item.getRegion()),
            type: MULTICAST_TYPE.word(item.getGroupType()),
            createdAt: timeOf(item.getCreatedAt()),
          })),
          total: reply.getTotalCount(),
        }
      }),

    async multicastGroup(groupId: string): Promise<LnsMulticast> {
      const request = new pb.GetMulticastGroupRequest()
      request.setId(groupId)
      const group = (await ask(MulticastGroupServiceClient, client => client.get, request)).getMulticastGroup()
      if (!group) throw new LnsError('answer', 'no multicast group')
      const queue = new pb.ListMulticastGroupQueueRequest()
      queue.setMulticastGroupId(groupId)
      const waiting = await ask(MulticastGroupServiceClient, client => client.listQueue, queue)
      const devices = await all(async offset => {
        const list = new devicePb.ListDevicesRequest()
        list.setLimit(page)
        list.setOffset(offset)
        list.setApplicationId(group.getApplicationId())
        list.setMulticastGroupId(groupId)
        const reply = await ask(deviceGrpc.DeviceServiceClient, client => client.list, list)
        return {
          items: reply
            .getResultList()
            .map(device => ({ devEui: device.getDevEui().toLowerCase(), name: device.getName() })),
          total: reply.getTotalCount(),
        }
      })
      return {
        groupId: group.getId(),
        name: group.getName(),
        applicationId: group.getApplicationId(),
        region: REGION.word(group.getRegion()),
        type: MULTICAST_TYPE.word(group.getGroupType()),
        mcAddr: group.getMcAddr(),
        fCnt: group.getFCnt(),
        dr: group.getDr(),
        frequency: group.getFrequency(),
        pingSlotPeriodicity: group.getClassBPingSlotPeriodicity(),
        devices,
        queue: waiting.getItemsList().map(item => ({
          fCnt: item.getFCnt(),
          port: item.getFPort(),
          hex: Buffer.from(item.getData_asU8()).toString('hex'),
        })),
      }
    },

    async createMulticastGroup(fields: LnsMulticastFields): Promise<string> {
      const group = new pb.MulticastGroup()
      group.setName(fields.name)
      group.setApplicationId(fields.applicationId)
      group.setRegion(REGION.number(fields.region) as never)
      group.setGroupType(MULTICAST_TYPE.number(fields.type) as never)
      group.setMcAddr(fields.mcAddr)
      group.setMcNwkSKey(fields.mcNwkSKey)
      group.setMcAppSKey(fields.mcAppSKey)
      group.setDr(fields.dr)
      group.setFrequency(fields.frequency)
      group.setClassBPingSlotPeriodicity(fields.pingSlotPeriodicity)
      const request = new pb.CreateMulticastGroupRequest()
      request.setMulticastGroup(group)
      return (await ask(MulticastGroupServiceClient, client => client.create, request)).getId()
    },

    async removeMulticastGroup(groupId: string): Promise<void> {
      const request = new pb.DeleteMulticastGroupRequest()
      request.setId(groupId)
      await ask(MulticastGroupServiceClient, client => client.delete, request)
    },

    async addToMulticastGroup(groupId: string, devEui: string): Promise<void> {
      const request = new pb.AddDeviceToMulticastGroupRequest()
      request.setMulticastGroupId(groupId)
      request.setDevEui(devEui)
      await ask(MulticastGroupServiceClient, client => client.addDevice, request)
    },

    async removeFromMulticastGroup(groupId: string, devEui: string): Promise<void> {
      const request = new pb.RemoveDeviceFromMulticastGroupRequest()
      request.setMulticastGroupId(groupId)
      request.setDevEui(devEui)
      await ask(MulticastGroupServiceClient, client => client.removeDevice, request)
    },

    async sendToMulticastGroup(groupId: string, port: number, bytes: Uint8Array): Promise<void> {
      const item = new pb.MulticastGroupQueueItem()
      item.setMulticastGroupId(groupId)
      item.setFPort(port)
      item.setData(bytes)
      const request = new pb.EnqueueMulticastGroupQueueItemRequest()
      request.setQueueItem(item)
      await ask(MulticastGroupServiceClient, client => client.enqueue, request)
    },
  }
}
