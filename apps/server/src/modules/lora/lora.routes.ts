import { loraConnectionsContract, loraRegionsContract } from '@thingwright/contracts/lora.contract'
import {
  loraCallbacksContract,
  loraCodecContract,
  loraDevicesContract,
} from '@thingwright/contracts/lora-devices.contract'
import { loraGatewaysContract } from '@thingwright/contracts/lora-gateways.contract'
import { loraProfilesContract } from '@thingwright/contracts/lora-profiles.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { CodecService } from './codec.service.ts'
import type { ConnectionsService } from './connections.service.ts'
import type { LoraDevicesService } from './devices.service.ts'
import { exportGateways, exportProfiles } from './export.ts'
import type { GatewaysService } from './gateways.service.ts'
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
}

export function loraRoutes(database: Database, services: LoraServices): BoundRoute[] {
  const { connections, profiles, gateways, regions, devices, codec, uplinks } = services
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
    bind(loraGatewaysContract.update, (ctx, { params, body }) => gateways.update(ctx, params.id, body)),
    bind(loraGatewaysContract.remove, (ctx, { params }) => gateways.remove(ctx, params.id)),
  ]
}
