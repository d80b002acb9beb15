import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import devicePb from '@chirpstack/chirpstack-api/api/device_pb.js'
import profilePb from '@chirpstack/chirpstack-api/api/device_profile_pb.js'
import gatewayPb from '@chirpstack/chirpstack-api/api/gateway_pb.js'
import type { ChirpStackSimulator } from '../chirpstack/chirpstack.ts'
import type { EzvizVendor, SimulatedCamera } from '../ezviz/ezviz.ts'

/** What the simulated networks knew when they ended, so that they know it again. */
export interface NetworkState {
  tenantId: string
  apiKeyId: string
  /** Signs ChirpStack's tokens. */
  secret: string
  applicationId: string
  profiles: { id: string; message: string; tenantId: string | null; createdAt: number; updatedAt: number }[]
  gateways: { id: string; message: string; createdAt: number; updatedAt: number }[]
  devices: {
    devEui: string
    message: string
    keys: { nwkKey: string; appKey: string; genAppKey: string } | null
    session: string | null
    fCnt: number
  }[]
  cameras: SimulatedCamera[] | null
}

export function readState(file: string): { state: NetworkState; isFirst: boolean } {
  if (existsSync(file)) return { state: JSON.parse(readFileSync(file, 'utf8')) as NetworkState, isFirst: false }
  const state: NetworkState = {
    tenantId: randomUUID(),
    apiKeyId: randomUUID(),
    secret: randomBytes(32).toString('hex'),
    applicationId: randomUUID(),
    profiles: [],
    gateways: [],
    devices: [],
    cameras: null,
  }
  return { state, isFirst: true }
}

const text = (message: { serializeBinary(): Uint8Array }) => Buffer.from(message.serializeBinary()).toString('base64')
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

/** Writes what the simulators know now in place of what the file held. */
export function writeState(file: string, of: NetworkState, lns: ChirpStackSimulator, vendor: EzvizVendor): void {
  const state: NetworkState = {
    ...of,
    profiles: [...lns.things.profiles].map(([id, kept]) => ({ ...kept, id, message: text(kept.message) })),
    gateways: [...lns.things.gateways].map(([id, { message, createdAt, updatedAt }]) => ({
      id,
      message: text(message),
      createdAt,
      updatedAt,
    })),
    devices: [...lns.devices.values()].flatMap(({ devEui, message, keys, session, fCnt }) =>
      message
        ? [{ devEui, message: text(message), keys: keys ?? null, session: session ? text(session) : null, fCnt }]
        : [],
    ),
    cameras: vendor.cameras,
  }
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Gives a simulator that has just begun what it knew. */
export function restore(state: NetworkState, lns: ChirpStackSimulator): void {
  lns.things.applications[0]!.id = state.applicationId
  for (const { id, message, ...kept } of state.profiles)
    lns.things.profiles.set(id, { ...kept, message: profilePb.DeviceProfile.deserializeBinary(bytes(message)) })
  for (const { id, message, ...kept } of state.gateways)
    lns.things.gateways.set(id, {
      ...kept,
      message: gatewayPb.Gateway.deserializeBinary(bytes(message)),
      properties: new Map(),
      lastSeenAt: null,
      heard: [],
      sent: [],
    })
  for (const { devEui, message, keys, session, fCnt } of state.devices) {
    const device = devicePb.Device.deserializeBinary(bytes(message))
    lns.devices.set(devEui, {
      devEui,
      name: device.getName(),
      profileId: device.getDeviceProfileId(),
      fCnt,
      queue: [],
      message: device,
      ...(keys ? { keys } : {}),
      ...(session ? { session: devicePb.DeviceActivation.deserializeBinary(bytes(session)) } : {}),
    })
  }
}
