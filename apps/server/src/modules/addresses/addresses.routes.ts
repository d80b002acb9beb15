import { addressesContract } from '@thingwright/contracts/addresses.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AddressesService } from './addresses.service.ts'
import { exportAddresses } from './addresses-export.ts'

export function addressesRoutes(addresses: AddressesService): BoundRoute[] {
  return [
    bind(addressesContract.list, ctx => addresses.list(ctx)),
    bind(addressesContract.export, (ctx, { query }) => exportAddresses(addresses, ctx, query)),
    bind(addressesContract.regions, async () => addresses.regions()),
    bind(addressesContract.parse, async (_ctx, { body }) => addresses.parse(body.text)),
    bind(addressesContract.create, (ctx, { body }) => addresses.create(ctx, body)),
    bind(addressesContract.update, (ctx, { params, body }) => addresses.update(ctx, params.id, body)),
    bind(addressesContract.remove, (ctx, { params }) => addresses.remove(ctx, params.id)),
  ]
}
