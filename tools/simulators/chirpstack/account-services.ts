import internalGrpc, { type IInternalServiceServer } from '@chirpstack/chirpstack-api/api/internal_grpc_pb.js'
import internal from '@chirpstack/chirpstack-api/api/internal_pb.js'
import tenantGrpc, { type ITenantServiceServer } from '@chirpstack/chirpstack-api/api/tenant_grpc_pb.js'
import tenant from '@chirpstack/chirpstack-api/api/tenant_pb.js'
import grpc from '@grpc/grpc-js'
import { type Calls, notFound, Refusal, streaming } from './calls.ts'
import { stamp, type Things } from './things.ts'
import type { Traffic } from './traffic.ts'

/** A region as the operator of a server configures it. */
export interface SimulatedRegion {
  id: string
  description: string
  /** Number in ChirpStack's enum. */
  region: number
  userInfo: string
  channels: { frequency: number; dataRates: number[] }[]
  rx2Frequency: number
}

/** The usual one of China, and one of Europe. */
export const REGIONS: readonly SimulatedRegion[] = [
  {
    id: 'cn470_10',
    description: 'CN470 (channels 80-87)',
    region: 6,
    userInfo: 'Gateways: `tcp://lora.example:1700`',
    channels: Array.from({ length: 8 }, (_, n) => ({
      frequency: 486_300_000 + n * 200_000,
      dataRates: [0, 1, 2, 3, 4, 5],
    })),
    rx2Frequency: 505_300_000,
  },
  {
    id: 'eu868',
    description: 'EU868',
    region: 0,
    userInfo: '',
    channels: [868_100_000, 868_300_000, 868_500_000].map(frequency => ({ frequency, dataRates: [0, 1, 2, 3, 4, 5] })),
    rx2Frequency: 869_525_000,
  },
]

export function tenantService(
  call: Calls,
  things: Things,
): [typeof tenantGrpc.TenantServiceService, ITenantServiceServer] {
  return [
    tenantGrpc.TenantServiceService,
    {
      get: call('TenantService.Get', (request: InstanceType<typeof tenant.GetTenantRequest>, access) => {
        access.tenant(request.getId())
        if (request.getId() !== things.tenant.id) throw notFound(request.getId())
        const message = new tenant.Tenant()
        message.setId(things.tenant.id)
        message.setName(things.tenant.name)
        message.setCanHaveGateways(true)
        const reply = new tenant.GetTenantResponse()
        reply.setTenant(message)
        reply.setCreatedAt(stamp(things.tenant.createdAt))
        return reply
      }),
    } as unknown as ITenantServiceServer,
  ]
}

export function internalService(
  call: Calls,
  things: Things,
  options: {
    login(email: string, password: string): string | null
    traffic: Traffic
    isDevice(devEui: string): boolean
  },
): [typeof internalGrpc.InternalServiceService, IInternalServiceServer] {
  const device = (devEui: string) => {
    if (!options.isDevice(devEui)) throw notFound(devEui)
    return devEui
  }
  return [
    internalGrpc.InternalServiceService,
    {
      streamGatewayFrames: streaming(
        call,
        'InternalService.StreamGatewayFrames',
        (request: InstanceType<typeof internal.StreamGatewayFramesRequest>, access, write) => {
          access.tenant(things.tenant.id)
          if (!things.gateways.has(request.getGatewayId())) throw notFound(request.getGatewayId())
          return options.traffic.listen(`gateway ${request.getGatewayId()}`, write)
        },
      ),
      streamDeviceFrames: streaming(
        call,
        'InternalService.StreamDeviceFrames',
        (request: InstanceType<typeof internal.StreamDeviceFramesRequest>, access, write) => {
          access.tenant(things.tenant.id)
          return options.traffic.listen(`frames ${device(request.getDevEui())}`, write)
        },
      ),
      streamDeviceEvents: streaming(
        call,
        'InternalService.StreamDeviceEvents',
        (request: InstanceType<typeof internal.StreamDeviceEventsRequest>, access, write) => {
          access.tenant(things.tenant.id)
          return options.traffic.listen(`events ${device(request.getDevEui())}`, write)
        },
      ),
      login: call('InternalService.Login', (request: InstanceType<typeof internal.LoginRequest>) => {
        const jwt = options.login(request.getEmail(), request.getPassword())
        if (jwt === null) throw new Refusal(grpc.status.UNAUTHENTICATED, 'Invalid username or password')
        const reply = new internal.LoginResponse()
        reply.setJwt(jwt)
        return reply
      }),
      listRegions: call('InternalService.ListRegions', (_request: unknown, access) => {
        access.person()
        const reply = new internal.ListRegionsResponse()
        for (const { id, description, region } of REGIONS) {
          const item = new internal.RegionListItem()
          item.setId(id)
          item.setDescription(description)
          item.setRegion(region as never)
          reply.addRegions(item)
        }
        return reply
      }),
      getRegion: call(
        'InternalService.GetRegion',
        (request: InstanceType<typeof internal.GetRegionRequest>, access) => {
          access.person()
          const found = REGIONS.find(({ id }) => id === request.getId())
          if (!found) throw notFound(request.getId())
          const reply = new internal.GetRegionResponse()
          reply.setId(found.id)
          reply.setDescription(found.description)
          reply.setRegion(found.region as never)
          reply.setUserInfo(found.userInfo)
          reply.setRx1Delay(1)
          reply.setRx2Frequency(found.rx2Frequency)
          reply.setClassBPingSlotDr(3)
          for (const { frequency, dataRates } of found.channels) {
            const channel = new internal.RegionChannel()
            channel.setFrequency(frequency)
            channel.setDataRatesList(dataRates)
            reply.addUplinkChannels(channel)
          }
          return reply
        },
      ),
    } as unknown as IInternalServiceServer,
  ]
}
