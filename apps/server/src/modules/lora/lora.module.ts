import { inBackground } from '../../lib/background.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import type { DevicesModule } from '../devices/index.ts'
import type { Inbox } from '../notifications/index.ts'
import type { ProductsModule } from '../products/index.ts'
import type { TasksModule } from '../tasks/index.ts'
import type { TriggersModule } from '../triggers/index.ts'
import { createClients } from './clients.ts'
import type { RunScript } from './codec.port.ts'
import { type CodecService, createCodecService } from './codec.service.ts'
import * as connectionsRepo from './connections.repo.ts'
import { type ConnectionsService, createConnectionsService } from './connections.service.ts'
import { forgetDownlinks } from './devices.repo.ts'
import { createLoraDevicesService, type LoraDevicesService } from './devices.service.ts'
import { createDownlinks, type Downlinks } from './downlinks.ts'
import type { FeedFactory } from './feed.port.ts'
import { createFeeds, type Feeds } from './feeds.ts'
import { gatewaysAttention } from './gateways.attention.ts'
import * as gatewayRows from './gateways.repo.ts'
import { createGatewaysService, type GatewaysService } from './gateways.service.ts'
import { createGatewayWatch, type GatewayWatch } from './gateways.watch.ts'
import { createLoraImportService, type LoraImportService } from './import.service.ts'
import { dropImports } from './links.repo.ts'
import { createLinksService, type LinksService } from './links.service.ts'
import { linksTransfer } from './links.transfer.ts'
import type { LnsFactory } from './lns.port.ts'
import { connectLoraDemo } from './lora.demo.ts'
import { loraRoutes } from './lora.routes.ts'
import { LORA_TOOLS } from './lora.tools.ts'
import { createMulticastService, type MulticastService } from './multicast.service.ts'
import { createProfilesService, type ProfilesService } from './profiles.service.ts'
import { createRegionsService, type RegionsService } from './regions.service.ts'
import { createUplinksService, type UplinksService } from './uplinks.service.ts'

export interface LoraNeeds {
  database: Database
  inbox: Inbox
  lns: LnsFactory
  /** Listeners to the brokers of network servers. */
  loraFeed: FeedFactory
  gateway: Pick<GatewayPort, 'lora'>
  products: Pick<ProductsModule, 'service'>
  devices: Pick<DevicesModule, 'service'>
  tasks: Pick<TasksModule, 'service' | 'register'>
  triggers: Pick<TriggersModule, 'objects'>
  runScript: RunScript
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
  uplinks: UplinksService
  downlinks: Downlinks
  devices: LoraDevicesService
  codec: CodecService
  links: LinksService
  imports: LoraImportService
  multicast: MulticastService
  /** Started in processes with the worker role. */
  watch: GatewayWatch
  feeds: Feeds
  routes: BoundRoute[]
  close(): void
}

/** ChirpStack gives up earlier. */
const KEEP_DOWNLINKS_MS = 7 * 86_400_000
/** A table with keys is of use until its task is over, or was begun again. */
const KEEP_IMPORTS_MS = 86_400_000
const SEAL = 'lora-connections'
const KEYS_SEAL = 'lora-keys'

export function createLoraModule(needs: LoraNeeds): LoraModule {
  const clients = createClients(needs.lns, needs.seal(SEAL))
  const deps = { ...needs, clients }
  const connections = createConnectionsService(deps)
  const profiles = createProfilesService(deps)
  const gateways = createGatewaysService(deps)
  const regions = createRegionsService(deps)
  const multicast = createMulticastService(deps)
  const watch = createGatewayWatch(deps)
  const downlinks = createDownlinks(deps)
  const devices = createLoraDevicesService(deps)
  const codec = createCodecService(needs)
  const uplinks = createUplinksService({ ...deps, downlinks })
  const feeds = createFeeds({ ...deps, uplinks, feed: needs.loraFeed })
  const box = needs.seal(KEYS_SEAL)
  const links = createLinksService({ ...deps, box, devices })
  needs.triggers.objects({
    kind: 'lora_gateway',
    facts: async scope =>
      (await gatewayRows.facts(scope)).map(({ id, name, gatewayId, state, lastSeenAt }) => ({
        id,
        name,
        values: { gatewayId, state, lastSeen: lastSeenAt },
      })),
  })
  const imports = createLoraImportService({
    database: needs.database,
    box,
    links,
    devices: needs.devices.service,
    tasks: needs.tasks,
  })
  needs.tasks.register('lora.import', {
    run: task => imports.run(task),
    needs: () => ['lora:write', 'device:write'],
    wholeCompany: true,
    resumable: true,
  })
  return {
    connections,
    profiles,
    gateways,
    regions,
    uplinks,
    downlinks,
    devices,
    codec,
    links,
    imports,
    multicast,
    watch,
    feeds,
    routes: loraRoutes(needs.database, {
      connections,
      profiles,
      gateways,
      regions,
      devices,
      codec,
      uplinks,
      links,
      imports,
      multicast,
    }),
    connectDemo: (ctx, demo) =>
      connectLoraDemo(
        { ...deps, connections, profiles, links, products: needs.products, devices: needs.devices },
        ctx,
        demo,
      ),
    hears: {
      'commands.changed': ({ commands }) =>
        inBackground(
          'bringing commands to a network server',
          downlinks.serve([...new Set(commands.map(({ device }) => device))]),
        ),
    },
    sweeps: [
      {
        name: 'downlinks of LoRa devices that nobody answered',
        run: now =>
          needs.database.withSystemScope('lora', scope => forgetDownlinks(scope, new Date(now - KEEP_DOWNLINKS_MS))),
      },
      {
        name: 'tables of LoRa devices with their keys',
        run: now =>
          needs.database.withSystemScope('lora', scope => dropImports(scope, new Date(now - KEEP_IMPORTS_MS))),
      },
    ],
    attention: [gatewaysAttention(needs.database)],
    transferSources: [linksTransfer({ ...deps, box, devices })],
    connectionNames: [
      {
        system: 'chirpstack',
        list: async scope =>
          (await connectionsRepo.list(scope))
            .filter(({ simulated }) => !simulated)
            .map(({ name, url: address }) => ({ name, address })),
      },
    ],
    search: [gatewaysFound(gateways), profilesFound(profiles)],
    runs: [
      { name: 'states of LoRa gateways', phase: 'work', start: () => watch.start(), stop: () => watch.stop() },
      { name: 'brokers of ChirpStack', phase: 'work', start: () => feeds.start(), stop: () => feeds.stop() },
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

export const loraModule = defineModule({ name: 'lora', tools: LORA_TOOLS, create: createLoraModule })
