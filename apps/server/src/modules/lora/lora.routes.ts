import { loraConnectionsContract, loraRegionsContract } from '@thingwright/contracts/lora.contract'
import {
  loraCallbacksContract,
  loraCodecContract,
  loraDevicesContract,
} from '@thingwright/contracts/lora-devices.contract'
import { loraGatewaysContract } from '@thingwright/contracts/lora-gateways.contract'
import { loraLinksContract } from '@thingwright/contracts/lora-links.contract'
import { loraMulticastContract } from '@thingwright/contracts/lora-multicast.contract'
import { loraProfilesContract } from '@thingwright/contracts/lora-profiles.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { CodecService } from './codec.service.ts'
import type { ConnectionsService } from './connections.service.ts'
import type { LoraDevicesService } from './devices.service.ts'
import { exportGateways, exportProfiles } from './export.ts'
import type { GatewaysService } from './gateways.service.ts'
import type { LoraImportService } from './import.service.ts'
import type { LinksService } from './links.service.ts'
import type { MulticastService } from './multicast.service.ts'
import type { ProfilesService } from './profiles.service.ts'
import type { RegionsService } from './regions.service.ts'
import type { UplinksService } from './uplinks.service.ts'

export interface LoraServices {
  connections: ConnectionsService
  profiles: ProfilesService
  gateways: GatewaysService
  regions: RegionsService
  devices: LoraDevicesService
  codec: CodecService
  uplinks: UplinksService
  links: LinksService
  imports: LoraImportService
  multicast: MulticastService
}

export function loraRoutes(database: Database, services: LoraServices): BoundRoute[] {
  const { connections, profiles, gateways, regions, devices, codec, uplinks, links, imports, multicast } = services
  return [
    bind(loraConnectionsContract.list, ctx => connections.list(ctx)),
    bind(loraConnectionsContract.create, (ctx, { body }) => connections.create(ctx, body)),
    bind(loraConnectionsContract.update, (ctx, { params, body }) => connections.update(ctx, params.id, body)),
    bind(loraConnectionsContract.test, (ctx, { params }) => connections.test(ctx, params.id)),
    bind(loraConnectionsContract.sync, (ctx, { params }) => connections.sync(ctx, params.id)),
    bind(loraConnectionsContract.remove, (ctx, { params }) => connections.remove(ctx, params.id)),
    bind(loraConnectionsContract.rotateCallback, (ctx, { params }) => connections.rotateCallback(ctx, params.id)),
    bind(loraCallbacksContract.take, (_, { params, query, body }, { headers }) =>
      uplinks.take(params.id, headers.authorization?.toString(), query.event, body),
    ),
    bind(loraDevicesContract.list, (ctx, { query }) => devices.list(ctx, query)),
    bind(loraLinksContract.applications, (ctx, { params }) => links.applications(ctx, params.id)),
    bind(loraLinksContract.product, (ctx, { params }) => links.product(ctx, params.id)),
    bind(loraLinksContract.setProduct, (ctx, { params, body }) => links.setProduct(ctx, params.id, body)),
    bind(loraLinksContract.clearProduct, (ctx, { params }) => links.clearProduct(ctx, params.id)),
    bind(loraLinksContract.device, (ctx, { params }) => links.device(ctx, params.id)),
    bind(loraLinksContract.setDevice, (ctx, { params, body }) => links.setDevice(ctx, params.id, body)),
    bind(loraLinksContract.removeDevice, (ctx, { params }) => links.removeDevice(ctx, params.id)),
    bind(loraLinksContract.session, (ctx, { params }) => links.session(ctx, params.id)),
    bind(loraLinksContract.traffic, (ctx, { params, query }) => links.traffic(ctx, params.id, query.kind)),
    bind(loraLinksContract.flushQueue, (ctx, { params }) => links.flushQueue(ctx, params.id)),
    bind(loraLinksContract.importTemplate, (ctx, { query }) => imports.template(ctx, query)),
    bind(loraLinksContract.import, (ctx, { body }, { file }) => imports.start(ctx, body, file)),
    bind(loraMulticastContract.list, (ctx, { params }) => multicast.list(ctx, params.id)),
    bind(loraMulticastContract.create, (ctx, { params, body }) => multicast.create(ctx, params.id, body)),
    bind(loraMulticastContract.get, (ctx, { params }) => multicast.get(ctx, params.id, params.groupId)),
    bind(loraMulticastContract.remove, (ctx, { params }) => multicast.remove(ctx, params.id, params.groupId)),
    bind(loraMulticastContract.addDevices, (ctx, { params, body }) =>
      multicast.addDevices(ctx, params.id, params.groupId, body.devEuis),
    ),
    bind(loraMulticastContract.removeDevice, (ctx, { params }) =>
      multicast.removeDevice(ctx, params.id, params.groupId, params.devEui),
    ),
    bind(loraMulticastContract.send, (ctx, { params, body }) => multicast.send(ctx, params.id, params.groupId, body)),
    bind(loraCodecContract.try, (ctx, { body }) => codec.try(ctx, body)),
    bind(loraRegionsContract.list, (ctx, { query }) => regions.list(ctx, query)),
    bind(loraRegionsContract.get, (ctx, { params, query }) => regions.get(ctx, params.id, query)),
    bind(loraProfilesContract.list, (ctx, { query }) => profiles.list(ctx, query)),
    bind(loraProfilesContract.export, (ctx, { query }) => exportProfiles({ database, profiles }, ctx, query)),
    bind(loraProfilesContract.create, (ctx, { body }) => profiles.create(ctx, body)),
    bind(loraProfilesContract.get, (ctx, { params }) => profiles.get(ctx, params.id)),
    bind(loraProfilesContract.update, (ctx, { params, body }) => profiles.update(ctx, params.id, body)),
    bind(loraProfilesContract.remove, (ctx, { params }) => profiles.remove(ctx, params.id)),
    bind(loraGatewaysContract.list, (ctx, { query }) => gateways.list(ctx, query)),
    bind(loraGatewaysContract.counts, ctx => gateways.counts(ctx)),
    bind(loraGatewaysContract.export, (ctx, { query }) => exportGateways({ database, gateways }, ctx, query)),
    bind(loraGatewaysContract.create, (ctx, { body }) => gateways.create(ctx, body)),
    bind(loraGatewaysContract.get, (ctx, { params }) => gateways.get(ctx, params.id)),
    bind(loraGatewaysContract.metrics, (ctx, { params, query }) => gateways.metrics(ctx, params.id, query)),
    bind(loraGatewaysContract.frames, (ctx, { params }) => gateways.frames(ctx, params.id)),
    bind(loraGatewaysContract.makeCertificate, (ctx, { params }) => gateways.makeCertificate(ctx, params.id)),
    bind(loraGatewaysContract.update, (ctx, { params, body }) => gateways.update(ctx, params.id, body)),
    bind(loraGatewaysContract.remove, (ctx, { params }) => gateways.remove(ctx, params.id)),
  ]
}
