import { randomBytes, randomUUID } from 'node:crypto'
import common from '@chirpstack/chirpstack-api/common/common_pb.js'
import grpc from '@grpc/grpc-js'
import { internalService, tenantService } from './account-services.ts'
import { applicationService } from './application-service.ts'
import { type Behaviour, createCalls } from './calls.ts'
import { deviceService, type SimulatedDevice } from './device-service.ts'
import { gatewayService } from './gateway-service.ts'
import { createEvents, type Integration } from './integration.ts'
import { type KeptMulticastGroup, multicastService } from './multicast-service.ts'
import { profileService } from './profile-service.ts'
import type { Things } from './things.ts'
import { signToken } from './tokens.ts'
import { createTraffic, type Traffic } from './traffic.ts'

export interface ChirpStackSimulator {
  /** `http://127.0.0.1:port` */
  url: string
  tenantId: string
  /** Of the tenant. */
  apiKey: string
  email: string
  password: string
  things: Things
  devices: Map<string, SimulatedDevice>
  events: ReturnType<typeof createEvents>
  /** Where events of devices go from now on. */
  integrate(integration: Integration | null): void
  /** Methods that were asked, in their order. */
  asked: string[]
  behave(behaviour: Behaviour): void
  traffic: Traffic
  multicastGroups: Map<string, KeptMulticastGroup>
  /** Whether the server is configured with a CA for certificates of gateways. */
  withCertificates(on: boolean): void
  /** A gateway reports its statistics, with what it heard and sent since. */
  gatewayStats(gatewayId: string, stats?: { heard?: number; sent?: number }): void
  /** A key that was taken back. */
  keyOfNobody(): string
  close(): Promise<void>
}

export interface ChirpStackOptions {
  port?: number
  host?: string
  tenantId?: string
  apiKeyId?: string
  /** Signs the tokens: with the same one they hold after a start. */
  secret?: string
  now?(): number
}

const DAY_S = 86_400
const FREQUENCIES = [486_300_000, 486_500_000, 486_700_000, 486_900_000]

/** A ChirpStack 4 with one tenant, one person and one API key, by the package's own service definitions. */
export async function startChirpStack(options: ChirpStackOptions = {}): Promise<ChirpStackSimulator> {
  const { host = '127.0.0.1', tenantId = randomUUID(), apiKeyId = randomUUID(), now = Date.now } = options
  const secret = options.secret ?? randomBytes(32).toString('hex')
  const userId = randomUUID()
  const [email, password] = ['lora@example.com', 'simulated']
  const things: Things = {
    tenant: { id: tenantId, name: 'Simulated tenant', createdAt: now() },
    applications: [{ id: randomUUID(), name: 'Meters' }],
    profiles: new Map(),
    gateways: new Map(),
  }
  const devices = new Map<string, SimulatedDevice>()
  let integration: Integration | null = null
  const groups = new Map<string, KeptMulticastGroup>()
  const traffic = createTraffic(now)
  let certificates = true
  const events = createEvents({
    tenantId,
    application: things.applications[0]!,
    integration: () => integration,
    now,
    told(event, devEui, body) {
      traffic.tell(`events ${devEui}`, { description: event, body })
      if (event !== 'up') return
      const frame = {
        description: 'UnconfirmedDataUp',
        body: { phy_payload: { mhdr: { f_type: 'UnconfirmedDataUp', major: 'LoRaWANR1' } }, data: body.data },
        properties: { DR: String(body.dr), FPort: String(body.fPort), FCnt: String(body.fCnt), DevAddr: '01020304' },
      }
      traffic.tell(`frames ${devEui}`, frame)
      for (const { gatewayId } of body.rxInfo as { gatewayId: string }[]) traffic.tell(`gateway ${gatewayId}`, frame)
    },
  })
  const asked: string[] = []
  let behaviour: Behaviour = { kind: 'well' }
  const call = createCalls({
    secret,
    now,
    behaviour: () => behaviour,
    tenantOfKey: id => (id === apiKeyId ? tenantId : undefined),
    isUser: id => id === userId,
    asked: method => void asked.push(method),
  })

  const server = new grpc.Server()
  server.addService(...tenantService(call, things))
  server.addService(
    ...profileService(call, things, {
      now,
      inUse: profileId => [...devices.values()].some(device => device.profileId === profileId),
    }),
  )
  server.addService(...gatewayService(call, things, { now, certificates: () => certificates }))
  server.addService(...applicationService(call, things))
  server.addService(...multicastService(call, things, devices, groups, { now }))
  server.addService(
    ...deviceService(call, devices, {
      tenantId,
      applicationIds: () => new Set(things.applications.map(({ id }) => id)),
      profileIds: () => new Set(things.profiles.keys()),
      membersOf: id => groups.get(id)?.devEuis ?? new Set(),
      now,
    }),
  )
  server.addService(
    ...internalService(call, things, {
      traffic,
      isDevice: devEui => devices.has(devEui),
      login: (who, word) =>
        who === email && word === password
          ? signToken(secret, { kind: 'user', id: userId }, Math.floor(now() / 1000) + DAY_S)
          : null,
    }),
  )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`${host}:${options.port ?? 0}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )

  return {
    url: `http://${host}:${port}`,
    tenantId,
    apiKey: signToken(secret, { kind: 'key', id: apiKeyId }),
    email,
    password,
    things,
    devices,
    events,
    integrate: next => {
      integration = next
    },
    asked,
    traffic,
    multicastGroups: groups,
    withCertificates(on) {
      certificates = on
    },
    behave: next => {
      behaviour = next
    },
    gatewayStats(gatewayId, { heard = 0, sent = 0 } = {}) {
      const gateway = things.gateways.get(gatewayId)
      if (!gateway) throw new Error(`no gateway ${gatewayId}`)
      gateway.lastSeenAt = now()
      gateway.properties.set('region_config_id', 'cn470_10')
      gateway.properties.set('region_common_name', 'CN470')
      gateway.message.getMetadataMap().set('model', 'simulated')
      const at = gateway.message.getLocation()
      if (!at || (at.getLatitude() === 0 && at.getLongitude() === 0)) {
        const location = new common.Location()
        location.setLatitude(39.9042)
        location.setLongitude(116.4074)
        location.setAltitude(44)
        location.setSource(1)
        gateway.message.setLocation(location)
      }
      for (let n = 0; n < heard; n++)
        gateway.heard.push({ at: now(), frequency: FREQUENCIES[n % FREQUENCIES.length]!, dr: n % 6, count: 1 })
      for (let n = 0; n < sent; n++)
        gateway.sent.push({
          at: now(),
          frequency: 505_300_000,
          dr: 0,
          status: n % 10 === 9 ? 'TOO_LATE' : 'OK',
          count: 1,
        })
    },
    keyOfNobody: () => signToken(secret, { kind: 'key', id: randomUUID() }),
    async close() {
      await events.close()
      server.forceShutdown()
    },
  }
}
