import { randomBytes } from 'node:crypto'
import devicePb from '@chirpstack/chirpstack-api/api/device_pb.js'
import profilePb from '@chirpstack/chirpstack-api/api/device_profile_pb.js'
import gatewayPb from '@chirpstack/chirpstack-api/api/gateway_pb.js'
import common from '@chirpstack/chirpstack-api/common/common_pb.js'
import type { ChirpStackSimulator } from '../chirpstack/chirpstack.ts'
import type { SimulatedDevice } from '../chirpstack/device-service.ts'
import texts from './texts.json' with { type: 'json' }

export const GATEWAY = '0016c001f1500812'

/** A gateway and a device profile, as somebody once made them by ChirpStack's own pages. */
export function furnish(lns: ChirpStackSimulator, profileId: string, now: number): void {
  const gateway = new gatewayPb.Gateway()
  gateway.setGatewayId(GATEWAY)
  gateway.setTenantId(lns.tenantId)
  gateway.setName(texts.gateway)
  gateway.setDescription(texts.gatewayText)
  gateway.setStatsInterval(30)
  const location = new common.Location()
  location.setLatitude(30.2741)
  location.setLongitude(120.1551)
  location.setAltitude(41)
  gateway.setLocation(location)
  lns.things.gateways.set(GATEWAY, {
    message: gateway,
    properties: new Map(),
    createdAt: now,
    updatedAt: now,
    lastSeenAt: null,
    heard: [],
    sent: [],
  })
  const profile = new profilePb.DeviceProfile()
  profile.setId(profileId)
  profile.setTenantId(lns.tenantId)
  profile.setName(texts.profile)
  // CN470, LoRaWAN 1.0.3.
  profile.setRegion(6)
  profile.setMacVersion(3)
  profile.setRegionConfigId('cn470_10')
  profile.setAdrAlgorithmId('default')
  profile.setUplinkInterval(30)
  profile.setSupportsOtaa(true)
  lns.things.profiles.set(profileId, { message: profile, tenantId: lns.tenantId, createdAt: now, updatedAt: now })
}

/** A round: the gateways report, devices with keys join and then speak, and take what waits for them. */
export async function live(lns: ChirpStackSimulator, now: number): Promise<void> {
  for (const id of lns.things.gateways.keys()) lns.gatewayStats(id, { heard: lns.devices.size, sent: 1 })
  for (const device of lns.devices.values()) await speak(lns, device, now)
}

async function speak(lns: ChirpStackSimulator, device: SimulatedDevice, now: number): Promise<void> {
  if (device.message?.getIsDisabled() || (!device.keys && !device.session)) return
  if (!device.session) {
    const session = new devicePb.DeviceActivation()
    session.setDevEui(device.devEui)
    session.setDevAddr(randomBytes(4).toString('hex'))
    device.session = session
    await lns.events.join(device)
  }
  // Each device at another moment of the same day.
  const phase = Number.parseInt(device.devEui.slice(-4), 16)
  const day = (now / 86_400_000) * 2 * Math.PI + phase
  const temperature = Math.round((22 + 5 * Math.sin(day) + Math.sin(now / 97_000 + phase)) * 10) / 10
  const humidity = Math.round(55 - 12 * Math.sin(day) + 2 * Math.sin(now / 53_000 + phase))
  const bytes = Buffer.alloc(3)
  bytes.writeInt16BE(Math.round(temperature * 10), 0)
  bytes[2] = humidity
  await lns.events.up(device, {
    bytes,
    object: { temperature, humidity },
    gatewayId: GATEWAY,
    rssi: -60 - (phase % 30) - Math.round(4 * Math.sin(now / 41_000)),
    snr: 7.5,
  })
  device.session.setFCntUp(device.fCnt)
  if (device.fCnt % 20 === 1) await lns.events.status(device, 92.5)
  const item = device.queue.shift()
  if (!item) return
  await lns.events.txack(device, item.id)
  if (item.confirmed) await lns.events.ack(device, item.id, true)
}
