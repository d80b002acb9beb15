import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import devicePb from '@chirpstack/chirpstack-api/api/device_pb.js'
import profilePb from '@chirpstack/chirpstack-api/api/device_profile_pb.js'
import gatewayPb from '@chirpstack/chirpstack-api/api/gateway_pb.js'
import type { SimulatedCard } from '../cards/made-cards.ts'
import type { CmccCarrier } from '../carrier-cmcc/carrier-cmcc.ts'
import type { CtccCarrier } from '../carrier-ctcc/carrier-ctcc.ts'
import type { ChirpStackSimulator } from '../chirpstack/chirpstack.ts'
import type { CtwingDevice, CtwingPlatform } from '../ctwing/ctwing.ts'
import type { EzvizVendor, SimulatedCamera } from '../ezviz/ezviz.ts'
import type { OneNetDevice, OneNetPlatform } from '../onenet/onenet.ts'
import type { Wechat } from '../wechat/wechat.ts'
import { keepWechat, type WechatState } from './wechat-life.ts'

/** Those whose state is kept. */
export interface Simulated {
  lns: ChirpStackSimulator
  vendor: EzvizVendor
  cmcc: CmccCarrier
  ctcc: CtccCarrier
  ctwing: CtwingPlatform
  onenet: OneNetPlatform
  wechat: Wechat
}

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
  cards: { cmcc: SimulatedCard[]; ctcc: SimulatedCard[] } | null
  /** In which month cards used what they used, `2026-01`. */
  month: string | null
  telecom: { ctwing: CtwingDevice[]; onenet: OneNetDevice[] } | null
  wechat: WechatState | null
}

export function readState(file: string): { state: NetworkState; isFirst: boolean } {
  const none = { cards: null, month: null, telecom: null, wechat: null }
  if (existsSync(file))
    return { state: { ...none, ...(JSON.parse(readFileSync(file, 'utf8')) as NetworkState) }, isFirst: false }
  const state: NetworkState = {
    tenantId: randomUUID(),
    apiKeyId: randomUUID(),
    secret: randomBytes(32).toString('hex'),
    applicationId: randomUUID(),
    profiles: [],
    gateways: [],
    devices: [],
    cameras: null,
    ...none,
  }
  return { state, isFirst: true }
}

const text = (message: { serializeBinary(): Uint8Array }) => Buffer.from(message.serializeBinary()).toString('base64')
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

/** Writes what the simulators know now in place of what the file held. */
export function writeState(file: string, of: NetworkState, all: Simulated): void {
  const { lns, vendor, cmcc, ctcc, ctwing, onenet, wechat } = all
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
    cards: { cmcc: cmcc.cards, ctcc: ctcc.cards },
    telecom: { ctwing: ctwing.devices, onenet: onenet.devices },
    wechat: keepWechat(wechat),
  }
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Gives simulators that have just begun what they knew. */
export function restore(state: NetworkState, { lns, ctwing, onenet }: Simulated): void {
  ctwing.devices.push(...(state.telecom?.ctwing ?? []))
  onenet.devices.push(...(state.telecom?.onenet ?? []))
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
