import { randomUUID } from 'node:crypto'
import grpcPb, { type IDeviceServiceServer } from '@chirpstack/chirpstack-api/api/device_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/device_pb.js'
import grpc from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { type Calls, invalid, notFound, Refusal } from './calls.ts'
import { stamp } from './things.ts'

export interface QueueItem {
  id: string
  devEui: string
  port: number
  confirmed: boolean
  data: Uint8Array
  object: unknown
  expiresAt?: number
}

type Activation = InstanceType<typeof pb.DeviceActivation>

export interface SimulatedDevice {
  devEui: string
  name: string
  profileId: string
  fCnt: number
  queue: QueueItem[]
  /** As it was made; absent: the test put it there. */
  message?: InstanceType<typeof pb.Device>
  keys?: { nwkKey: string; appKey: string; genAppKey: string }
  session?: Activation
}

interface Known {
  tenantId: string
  applicationIds(): ReadonlySet<string>
  profileIds(): ReadonlySet<string>
  membersOf(multicastGroupId: string): ReadonlySet<string>
  now(): number
}

const exists = () => new Refusal(grpc.status.ALREADY_EXISTS, 'Object already exists')
const KEY = /^[0-9a-f]{32}$/

/** DeviceService: devices with their keys, sessions and queues. */
export function deviceService(
  call: Calls,
  devices: Map<string, SimulatedDevice>,
  known: Known,
): [typeof grpcPb.DeviceServiceService, IDeviceServiceServer] {
  const of = (devEui: string): SimulatedDevice => {
    const device = devices.get(devEui)
    if (!device) throw notFound(devEui)
    return device
  }

  function checked(message: InstanceType<typeof pb.Device> | undefined): InstanceType<typeof pb.Device> {
    if (!message) throw invalid('device is missing')
    if (!/^[0-9a-f]{16}$/.test(message.getDevEui())) throw invalid('Invalid string length')
    if (message.getName() === '') throw invalid('name is not set')
    if (!known.applicationIds().has(message.getApplicationId())) throw notFound(message.getApplicationId())
    if (!known.profileIds().has(message.getDeviceProfileId())) throw notFound(message.getDeviceProfileId())
    return message
  }

  function keysOf(message: InstanceType<typeof pb.DeviceKeys> | undefined) {
    if (!message) throw invalid('device_keys is missing')
    const [nwkKey, appKey, genAppKey] = [message.getNwkKey(), message.getAppKey(), message.getGenAppKey()]
    if (!KEY.test(nwkKey) || [appKey, genAppKey].some(key => key !== '' && !KEY.test(key)))
      throw invalid('Invalid string length')
    return { device: of(message.getDevEui()), keys: { nwkKey, appKey, genAppKey } }
  }

  const queueItem = (item: QueueItem) => {
    const message = new pb.DeviceQueueItem()
    message.setId(item.id)
    message.setDevEui(item.devEui)
    message.setFPort(item.port)
    message.setConfirmed(item.confirmed)
    message.setData(item.data)
    if (item.expiresAt !== undefined) message.setExpiresAt(stamp(item.expiresAt))
    return message
  }

  return [
    grpcPb.DeviceServiceService,
    {
      create: call('DeviceService.Create', (request: InstanceType<typeof pb.CreateDeviceRequest>, access) => {
        access.tenant(known.tenantId)
        const message = checked(request.getDevice())
        if (devices.has(message.getDevEui())) throw exists()
        devices.set(message.getDevEui(), {
          devEui: message.getDevEui(),
          name: message.getName(),
          profileId: message.getDeviceProfileId(),
          fCnt: 0,
          queue: [],
          message,
        })
        return new empty.Empty()
      }),
      list: call('DeviceService.List', (request: InstanceType<typeof pb.ListDevicesRequest>, access) => {
        access.tenant(known.tenantId)
        const group = request.getMulticastGroupId()
        const members = group === '' ? null : known.membersOf(group)
        const found = [...devices.values()].filter(({ devEui }) => members === null || members.has(devEui))
        const reply = new pb.ListDevicesResponse()
        reply.setTotalCount(found.length)
        for (const device of found.slice(request.getOffset(), request.getOffset() + request.getLimit())) {
          const item = new pb.DeviceListItem()
          item.setDevEui(device.devEui)
          item.setName(device.name)
          item.setCreatedAt(stamp(known.now()))
          reply.addResult(item)
        }
        return reply
      }),
      get: call('DeviceService.Get', (request: InstanceType<typeof pb.GetDeviceRequest>, access) => {
        access.tenant(known.tenantId)
        const device = of(request.getDevEui())
        const reply = new pb.GetDeviceResponse()
        reply.setDevice(device.message)
        reply.setCreatedAt(stamp(known.now()))
        reply.setUpdatedAt(stamp(known.now()))
        return reply
      }),
      update: call('DeviceService.Update', (request: InstanceType<typeof pb.UpdateDeviceRequest>, access) => {
        access.tenant(known.tenantId)
        const message = checked(request.getDevice())
        const device = of(message.getDevEui())
        device.name = message.getName()
        device.profileId = message.getDeviceProfileId()
        device.message = message
        return new empty.Empty()
      }),
      delete: call('DeviceService.Delete', (request: InstanceType<typeof pb.DeleteDeviceRequest>, access) => {
        access.tenant(known.tenantId)
        of(request.getDevEui())
        devices.delete(request.getDevEui())
        return new empty.Empty()
      }),
      createKeys: call(
        'DeviceService.CreateKeys',
        (request: InstanceType<typeof pb.CreateDeviceKeysRequest>, access) => {
          access.tenant(known.tenantId)
          const { device, keys } = keysOf(request.getDeviceKeys())
          if (device.keys) throw exists()
          device.keys = keys
          return new empty.Empty()
        },
      ),
      updateKeys: call(
        'DeviceService.UpdateKeys',
        (request: InstanceType<typeof pb.UpdateDeviceKeysRequest>, access) => {
          access.tenant(known.tenantId)
          const { device, keys } = keysOf(request.getDeviceKeys())
          if (!device.keys) throw notFound(device.devEui)
          device.keys = keys
          return new empty.Empty()
        },
      ),
      activate: call('DeviceService.Activate', (request: InstanceType<typeof pb.ActivateDeviceRequest>, access) => {
        access.tenant(known.tenantId)
        const session = request.getDeviceActivation()
        if (!session) throw invalid('device_activation is missing')
        if (!/^[0-9a-f]{8}$/.test(session.getDevAddr())) throw invalid('Invalid string length')
        of(session.getDevEui()).session = session
        return new empty.Empty()
      }),
      getActivation: call(
        'DeviceService.GetActivation',
        (request: InstanceType<typeof pb.GetDeviceActivationRequest>, access) => {
          access.tenant(known.tenantId)
          const reply = new pb.GetDeviceActivationResponse()
          reply.setDeviceActivation(of(request.getDevEui()).session)
          return reply
        },
      ),
      getQueue: call(
        'DeviceService.GetQueue',
        (request: InstanceType<typeof pb.GetDeviceQueueItemsRequest>, access) => {
          access.tenant(known.tenantId)
          const { queue } = of(request.getDevEui())
          const reply = new pb.GetDeviceQueueItemsResponse()
          reply.setTotalCount(queue.length)
          if (!request.getCountOnly()) reply.setResultList(queue.map(queueItem))
          return reply
        },
      ),
      flushQueue: call(
        'DeviceService.FlushQueue',
        (request: InstanceType<typeof pb.FlushDeviceQueueRequest>, access) => {
          access.tenant(known.tenantId)
          of(request.getDevEui()).queue.length = 0
          return new empty.Empty()
        },
      ),
      enqueue: call(
        'DeviceService.Enqueue',
        (request: InstanceType<typeof pb.EnqueueDeviceQueueItemRequest>, access) => {
          access.tenant(known.tenantId)
          const item = request.getQueueItem()
          if (!item) throw invalid('queue_item is missing')
          const device = of(item.getDevEui())
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
            ...(item.hasExpiresAt() ? { expiresAt: item.getExpiresAt()!.toDate().getTime() } : {}),
          })
          const reply = new pb.EnqueueDeviceQueueItemResponse()
          reply.setId(id)
          return reply
        },
      ),
    } as unknown as IDeviceServiceServer,
  ]
}
