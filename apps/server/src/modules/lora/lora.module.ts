import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { Inbox } from '../notifications/index.ts'
import { createClients } from './clients.ts'
import { type ConnectionsService, createConnectionsService } from './connections.service.ts'
import { createGatewaysService, type GatewaysService } from './gateways.service.ts'
import { createGatewayWatch, type GatewayWatch } from './gateways.watch.ts'
import type { LnsFactory } from './lns.port.ts'
import { loraRoutes } from './lora.routes.ts'
import { createProfilesService, type ProfilesService } from './profiles.service.ts'
import { createRegionsService, type RegionsService } from './regions.service.ts'

export interface LoraNeeds {
  database: Database
  inbox: Inbox
  lns: LnsFactory
  outboundAllow: readonly string[]
  seal(purpose: string): CryptoBox
  logger: Logger
  now(): number
}

export interface LoraModule extends ModuleParts {
  connections: ConnectionsService
  profiles: ProfilesService
  gateways: GatewaysService
  regions: RegionsService
  /** Started in processes with the worker role. */
  watch: GatewayWatch
  routes: BoundRoute[]
  close(): void
}

const SEAL = 'lora-connections'

export function createLoraModule(needs: LoraNeeds): LoraModule {
  const clients = createClients(needs.lns, needs.seal(SEAL))
  const deps = { ...needs, clients }
  const connections = createConnectionsService(deps)
  const profiles = createProfilesService(deps)
  const gateways = createGatewaysService(deps)
  const regions = createRegionsService(deps)
  const watch = createGatewayWatch(deps)
  return {
    connections,
    profiles,
    gateways,
    regions,
    watch,
    routes: loraRoutes(needs.database, { connections, profiles, gateways, regions }),
    search: [gatewaysFound(gateways), profilesFound(profiles)],
    runs: [
      { name: 'states of LoRa gateways', phase: 'work', start: () => watch.start(), stop: () => watch.stop() },
      { name: 'connections to ChirpStack', phase: 'journal', stop: () => clients.close() },
    ],
    close: () => clients.close(),
  }
}

const gatewaysFound = (service: GatewaysService): SearchSource => ({
  kind: 'lora_gateway',
  permission: 'lora:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(({ id, name, gatewayId }) => ({
      id,
      title: name,
      subtitle: gatewayId,
      link: `/ChirpStack/Gateways/edit?id=${id}`,
    })),
})

const profilesFound = (service: ProfilesService): SearchSource => ({
  kind: 'lora_profile',
  permission: 'lora:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(({ id, name, region }) => ({
      id,
      title: name,
      subtitle: region,
      link: `/ChirpStack/DeviceProfiles/edit?id=${id}`,
    })),
})

export const loraModule = defineModule({ name: 'lora', create: createLoraModule })
