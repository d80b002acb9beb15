import applicationGrpc from '@chirpstack/chirpstack-api/api/application_grpc_pb.js'
import applicationPb from '@chirpstack/chirpstack-api/api/application_pb.js'
import deviceGrpc from '@chirpstack/chirpstack-api/api/device_grpc_pb.js'
import devicePb from '@chirpstack/chirpstack-api/api/device_pb.js'
import profileGrpc from '@chirpstack/chirpstack-api/api/device_profile_grpc_pb.js'
import profilePb from '@chirpstack/chirpstack-api/api/device_profile_pb.js'
import gatewayGrpc from '@chirpstack/chirpstack-api/api/gateway_grpc_pb.js'
import gatewayPb from '@chirpstack/chirpstack-api/api/gateway_pb.js'
import internalGrpc from '@chirpstack/chirpstack-api/api/internal_grpc_pb.js'
import internalPb from '@chirpstack/chirpstack-api/api/internal_pb.js'
import tenantGrpc from '@chirpstack/chirpstack-api/api/tenant_grpc_pb.js'
import tenantPb from '@chirpstack/chirpstack-api/api/tenant_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js'
import type { AddressGuard } from '../../../lib/outbound/outbound-guard.ts'
import { type Lns, type LnsAccess, LnsError } from '../../../modules/lora/lns.port.ts'
import { createChannel, timeIn, timeOf } from './channel.ts'
import { flushQueue, putDevice, removeDevice, sessionOf } from './device-message.ts'
import { gatewayItemOf, gatewayOf, metricsOf, writeGateway } from './gateway-message.ts'
import { multicastOf } from './multicast-message.ts'
import { profileItemOf, profileOf, writeProfile } from './profile-message.ts'
import { trafficOf } from './traffic-message.ts'
import { AGGREGATION, REGION } from './words.ts'

export interface ChirpStackOptions {
  guard: AddressGuard
  timeoutMs: number
  now(): number
}

/** Rows of a list at once; without a limit ChirpStack only counts. */
const PAGE = 500
/** More are not read: a tenant of that size is looked at in ChirpStack. */
const MOST_ROWS = 50_000
/** A person's token lives a day. */
const TOKEN_MS = 12 * 3_600_000

/** ChirpStack 4 by gRPC. */
export function createChirpStack(access: LnsAccess, { guard, timeoutMs, now }: ChirpStackOptions): Lns {
  const channel = createChannel({ url: access.url, apiKey: access.apiKey, guard, timeoutMs, now })
  const { ask, listen } = channel
  let token: { value: string; until: number } | null = null

  /** Only persons may ask for regions. null: there is none. */
  async function signedIn(): Promise<string | null> {
    if (access.email === '' || access.password === '') return null
    if (token && token.until > now()) return token.value
    const request = new internalPb.LoginRequest()
    request.setEmail(access.email)
    request.setPassword(access.password)
    const reply = await ask(internalGrpc.InternalServiceClient, client => client.login, request, null)
    token = { value: reply.getJwt(), until: now() + TOKEN_MS }
    return token.value
  }

  async function asPerson<T>(asked: (token: string) => Promise<T>): Promise<T | null> {
    const first = await signedIn()
    if (first === null) return null
    try {
      return await asked(first)
    } catch (error) {
      if (!(error instanceof LnsError) || error.fault !== 'credentials') throw error
      token = null
      const again = await signedIn()
      return again === null ? null : asked(again)
    }
  }

  /** All rows of a list, page by page. */
  async function all<Item>(page: (offset: number) => Promise<{ items: Item[]; total: number }>): Promise<Item[]> {
    const found: Item[] = []
    for (;;) {
      const { items, total } = await page(found.length)
      found.push(...items)
      if (items.length === 0 || found.length >= total) return found
      if (found.length >= MOST_ROWS) throw new LnsError('refused', `more than ${MOST_ROWS} rows`)
    }
  }

  async function profileReply(remoteId: string) {
    const request = new profilePb.GetDeviceProfileRequest()
    request.setId(remoteId)
    const reply = await ask(profileGrpc.DeviceProfileServiceClient, client => client.get, request)
    const message = reply.getDeviceProfile()
    if (!message) throw new LnsError('answer', 'no device profile')
    return { reply, message }
  }

  async function gatewayReply(gatewayId: string) {
    const request = new gatewayPb.GetGatewayRequest()
    request.setGatewayId(gatewayId)
    const reply = await ask(gatewayGrpc.GatewayServiceClient, client => client.get, request)
    const message = reply.getGateway()
    if (!message) throw new LnsError('answer', 'no gateway')
    return { reply, message }
  }

  const profilesOf = (shared: boolean) =>
    all(async offset => {
      const request = new profilePb.ListDeviceProfilesRequest()
      request.setLimit(PAGE)
      request.setOffset(offset)
      if (shared) request.setGlobalOnly(true)
      else {
        request.setTenantId(access.tenantId)
        request.setTenantOnly(true)
      }
      const reply = await ask(profileGrpc.DeviceProfileServiceClient, client => client.list, request)
      return { items: reply.getResultList().map(item => profileItemOf(item, shared)), total: reply.getTotalCount() }
    })

  return {
    async test() {
      const request = new tenantPb.GetTenantRequest()
      request.setId(access.tenantId)
      const reply = await ask(tenantGrpc.TenantServiceClient, client => client.get, request)
      // A person that is given must be let in too.
      await signedIn()
      return { tenantName: reply.getTenant()?.getName() ?? '' }
    },

    async profiles() {
      const own = await profilesOf(false)
      try {
        return [...own, ...(await profilesOf(true))]
      } catch (error) {
        // Older servers have none for all tenants, and not every key may read them.
        if (error instanceof LnsError && error.fault !== 'unavailable') return own
        throw error
      }
    },
    async profile(remoteId) {
      const { reply, message } = await profileReply(remoteId)
      return {
        fields: profileOf(message),
        createdAt: timeIn(reply.getCreatedAt()),
        updatedAt: timeIn(reply.getUpdatedAt()),
      }
    },

    async createProfile(fields) {
      const message = new profilePb.DeviceProfile()
      message.setTenantId(access.tenantId)
      writeProfile(message, fields)
      const request = new profilePb.CreateDeviceProfileRequest()
      request.setDeviceProfile(message)
      return (await ask(profileGrpc.DeviceProfileServiceClient, client => client.create, request)).getId()
    },

    async updateProfile(remoteId, fields) {
      const { message } = await profileReply(remoteId)
      writeProfile(message, fields)
      const request = new profilePb.UpdateDeviceProfileRequest()
      request.setDeviceProfile(message)
      await ask(profileGrpc.DeviceProfileServiceClient, client => client.update, request)
    },

    async removeProfile(remoteId) {
      const request = new profilePb.DeleteDeviceProfileRequest()
      request.setId(remoteId)
      await ask(profileGrpc.DeviceProfileServiceClient, client => client.delete, request)
    },

    gateways: () =>
      all(async offset => {
        const request = new gatewayPb.ListGatewaysRequest()
        request.setLimit(PAGE)
        request.setOffset(offset)
        request.setTenantId(access.tenantId)
        const reply = await ask(gatewayGrpc.GatewayServiceClient, client => client.list, request)
        return { items: reply.getResultList().map(gatewayItemOf), total: reply.getTotalCount() }
      }),

    async gateway(gatewayId) {
      const { reply, message } = await gatewayReply(gatewayId)
      return gatewayOf(reply, message)
    },

    async createGateway(gatewayId, fields) {
      const message = new gatewayPb.Gateway()
      message.setGatewayId(gatewayId)
      message.setTenantId(access.tenantId)
      writeGateway(message, fields)
      const request = new gatewayPb.CreateGatewayRequest()
      request.setGateway(message)
      await ask(gatewayGrpc.GatewayServiceClient, client => client.create, request)
    },

    async updateGateway(gatewayId, fields) {
      const { message } = await gatewayReply(gatewayId)
      writeGateway(message, fields)
      const request = new gatewayPb.UpdateGatewayRequest()
      request.setGateway(message)
      await ask(gatewayGrpc.GatewayServiceClient, client => client.update, request)
    },

    async removeGateway(gatewayId) {
      const request = new gatewayPb.DeleteGatewayRequest()
      request.setGatewayId(gatewayId)
      await ask(gatewayGrpc.GatewayServiceClient, client => client.delete, request)
    },

    async metrics(gatewayId, from, to, step) {
      const request = new gatewayPb.GetGatewayMetricsRequest()
      request.setGatewayId(gatewayId)
      request.setStart(timestamp.Timestamp.fromDate(from))
      request.setEnd(timestamp.Timestamp.fromDate(to))
      request.setAggregation(AGGREGATION[step])
      return metricsOf(await ask(gatewayGrpc.GatewayServiceClient, client => client.getMetrics, request))
    },

    regions: () =>
      asPerson(async person => {
        const reply = await ask(
          internalGrpc.InternalServiceClient,
          client => client.listRegions,
          new empty.Empty(),
          person,
        )
        return reply.getRegionsList().map(region => ({
          id: region.getId(),
          description: region.getDescription(),
          region: REGION.word(region.getRegion()),
        }))
      }),

    region: id =>
      asPerson(async person => {
        const request = new internalPb.GetRegionRequest()
        request.setId(id)
        const reply = await ask(internalGrpc.InternalServiceClient, client => client.getRegion, request, person)
        return {
          id: reply.getId(),
          description: reply.getDescription(),
          region: REGION.word(reply.getRegion()),
          channels: reply
            .getUplinkChannelsList()
            .map(channel => ({ frequency: channel.getFrequency(), dataRates: channel.getDataRatesList() })),
          rx1Delay: reply.getRx1Delay(),
          rx1DrOffset: reply.getRx1DrOffset(),
          rx2Dr: reply.getRx2Dr(),
          rx2Frequency: reply.getRx2Frequency(),
          pingSlotDr: reply.getClassBPingSlotDr(),
          pingSlotFrequency: reply.getClassBPingSlotFrequency(),
          userInfo: reply.getUserInfo(),
        }
      }),

    async enqueue({ devEui, port, confirmed, bytes, object, expiresAt }) {
      const item = new devicePb.DeviceQueueItem()
      item.setDevEui(devEui)
      item.setFPort(port)
      item.setConfirmed(confirmed)
      if (bytes) item.setData(bytes)
      if (object) item.setObject(struct.Struct.fromJavaScript(object as never))
      if (expiresAt) item.setExpiresAt(timestamp.Timestamp.fromDate(expiresAt))
      const request = new devicePb.EnqueueDeviceQueueItemRequest()
      request.setQueueItem(item)
      return (await ask(deviceGrpc.DeviceServiceClient, client => client.enqueue, request)).getId()
    },

    applications: () =>
      all(async offset => {
        const request = new applicationPb.ListApplicationsRequest()
        request.setLimit(PAGE)
        request.setOffset(offset)
        request.setTenantId(access.tenantId)
        const reply = await ask(applicationGrpc.ApplicationServiceClient, client => client.list, request)
        return {
          items: reply.getResultList().map(item => ({ id: item.getId(), name: item.getName() })),
          total: reply.getTotalCount(),
        }
      }),

    putDevice: device => putDevice(ask, device),
    removeDevice: devEui => removeDevice(ask, devEui),
    session: devEui => sessionOf(ask, devEui),
    flushQueue: devEui => flushQueue(ask, devEui),

    async gatewayCertificate(gatewayId) {
      const request = new gatewayPb.GenerateGatewayClientCertificateRequest()
      request.setGatewayId(gatewayId)
      const reply = await ask(gatewayGrpc.GatewayServiceClient, client => client.generateClientCertificate, request)
      return {
        caCert: reply.getCaCert(),
        tlsCert: reply.getTlsCert(),
        tlsKey: reply.getTlsKey(),
        expiresAt: timeOf(reply.getExpiresAt()),
      }
    },
    traffic: of => trafficOf(listen, of),
    ...multicastOf(ask, access.tenantId, all, PAGE),

    close: () => channel.close(),
  }
}
