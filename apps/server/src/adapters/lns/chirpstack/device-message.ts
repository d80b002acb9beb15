import deviceGrpc from '@chirpstack/chirpstack-api/api/device_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/device_pb.js'
import { type LnsDevice, LnsError, type LnsSession } from '../../../modules/lora/lns.port.ts'
import { type Asking, timeOf } from './channel.ts'

const { DeviceServiceClient } = deviceGrpc

/** What is there already is changed instead: DeviceService has a call for each, and says ALREADY_EXISTS. */
async function makeOr(make: () => Promise<unknown>, change: () => Promise<unknown>): Promise<void> {
  try {
    await make()
  } catch (error) {
    if (!(error instanceof LnsError) || error.fault !== 'exists') throw error
    await change()
  }
}

/** @throws LnsError gone */
async function get(ask: Asking, devEui: string): Promise<InstanceType<typeof pb.Device>> {
  const request = new pb.GetDeviceRequest()
  request.setDevEui(devEui)
  const message = (await ask(DeviceServiceClient, client => client.get, request)).getDevice()
  if (!message) throw new LnsError('answer', 'no device')
  return message
}

function write(message: InstanceType<typeof pb.Device>, device: LnsDevice): void {
  message.setDevEui(device.devEui)
  message.setName(device.name)
  message.setApplicationId(device.applicationId)
  message.setDeviceProfileId(device.profileId)
  message.setJoinEui(device.joinEui)
  message.setSkipFcntCheck(device.skipFcntCheck)
  message.setIsDisabled(device.disabled)
  message.clearVariablesMap()
  for (const [key, value] of Object.entries(device.variables)) message.getVariablesMap().set(key, value)
  message.clearTagsMap()
  for (const [key, value] of Object.entries(device.tags)) message.getTagsMap().set(key, value)
}

/** Makes a device, or changes the one that is there; then its keys, which are a call of their own, or its session. */
export async function putDevice(ask: Asking, device: LnsDevice): Promise<void> {
  await makeOr(
    () => {
      const message = new pb.Device()
      write(message, device)
      const request = new pb.CreateDeviceRequest()
      request.setDevice(message)
      return ask(DeviceServiceClient, client => client.create, request)
    },
    async () => {
      const message = await get(ask, device.devEui)
      write(message, device)
      const request = new pb.UpdateDeviceRequest()
      request.setDevice(message)
      return ask(DeviceServiceClient, client => client.update, request)
    },
  )
  if (device.keys) await putKeys(ask, device.devEui, device.keys)
  if (device.session) await putSession(ask, device.devEui, device.session)
}

async function putKeys(ask: Asking, devEui: string, keys: NonNullable<LnsDevice['keys']>): Promise<void> {
  const message = new pb.DeviceKeys()
  message.setDevEui(devEui)
  message.setNwkKey(keys.nwkKey)
  message.setAppKey(keys.appKey)
  message.setGenAppKey(keys.genAppKey)
  await makeOr(
    () => {
      const request = new pb.CreateDeviceKeysRequest()
      request.setDeviceKeys(message)
      return ask(DeviceServiceClient, client => client.createKeys, request)
    },
    () => {
      const request = new pb.UpdateDeviceKeysRequest()
      request.setDeviceKeys(message)
      return ask(DeviceServiceClient, client => client.updateKeys, request)
    },
  )
}

async function activationOf(ask: Asking, devEui: string) {
  const request = new pb.GetDeviceActivationRequest()
  request.setDevEui(devEui)
  return (await ask(DeviceServiceClient, client => client.getActivation, request)).getDeviceActivation()
}

async function putSession(ask: Asking, devEui: string, session: NonNullable<LnsDevice['session']>): Promise<void> {
  const there = await activationOf(ask, devEui)
  // Given anew, a session begins to count at 0, and the device's next frames would be taken for old ones.
  if (
    there?.getDevAddr() === session.devAddr &&
    there.getAppSKey() === session.appSKey &&
    there.getNwkSEncKey() === session.nwkSKey
  )
    return
  const message = new pb.DeviceActivation()
  message.setDevEui(devEui)
  message.setDevAddr(session.devAddr)
  message.setAppSKey(session.appSKey)
  // LoRaWAN 1.0 has one network key for all three.
  message.setNwkSEncKey(session.nwkSKey)
  message.setSNwkSIntKey(session.nwkSKey)
  message.setFNwkSIntKey(session.nwkSKey)
  const request = new pb.ActivateDeviceRequest()
  request.setDeviceActivation(message)
  await ask(DeviceServiceClient, client => client.activate, request)
}

export async function removeDevice(ask: Asking, devEui: string): Promise<void> {
  const request = new pb.DeleteDeviceRequest()
  request.setDevEui(devEui)
  await ask(DeviceServiceClient, client => client.delete, request)
}

export async function sessionOf(ask: Asking, devEui: string): Promise<LnsSession> {
  const request = new pb.GetDeviceQueueItemsRequest()
  request.setDevEui(devEui)
  const [session, queue] = await Promise.all([
    activationOf(ask, devEui),
    ask(DeviceServiceClient, client => client.getQueue, request),
  ])
  return {
    session:
      session && session.getDevAddr() !== ''
        ? {
            devAddr: session.getDevAddr(),
            fCntUp: session.getFCntUp(),
            nFCntDown: session.getNFCntDown(),
            aFCntDown: session.getAFCntDown(),
          }
        : null,
    queue: queue.getResultList().map(item => ({
      id: item.getId(),
      port: item.getFPort(),
      confirmed: item.getConfirmed(),
      hex: Buffer.from(item.getData_asU8()).toString('hex'),
      pending: item.getIsPending(),
      fCntDown: item.getFCntDown(),
      expiresAt: timeOf(item.getExpiresAt()),
    })),
  }
}

export async function flushQueue(ask: Asking, devEui: string): Promise<void> {
  const request = new pb.FlushDeviceQueueRequest()
  request.setDevEui(devEui)
  await ask(DeviceServiceClient, client => client.flushQueue, request)
}
