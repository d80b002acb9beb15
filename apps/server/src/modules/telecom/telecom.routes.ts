import { Readable } from 'node:stream'
import { telecomContract as contract, telecomCallbacksContract } from '@thingwright/contracts/telecom.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind, StreamReply } from '../../lib/http.ts'
import type { CallbacksService } from './callbacks.service.ts'
import { exportKeys } from './export.ts'
import type { KeysService } from './keys.service.ts'
import type { LinksService } from './links.service.ts'

export function telecomRoutes(
  database: Database,
  keys: KeysService,
  links: LinksService,
  callbacks: CallbacksService,
): BoundRoute[] {
  return [
    bind(contract.list, (ctx, { query }) => keys.list(ctx, query)),
    bind(contract.export, (ctx, { query }) => exportKeys({ database, keys }, ctx, query)),
    bind(contract.create, (ctx, { body }) => keys.create(ctx, body)),
    bind(contract.get, (ctx, { params }) => keys.get(ctx, params.id)),
    bind(contract.update, (ctx, { params, body }) => keys.update(ctx, params.id, body)),
    bind(contract.verify, (ctx, { params }) => keys.verify(ctx, params.id)),
    bind(contract.rotateSecret, (ctx, { params, body }) => keys.rotateSecret(ctx, params.id, body.appSecret)),
    bind(contract.renewAddress, (ctx, { params }) => keys.renewAddress(ctx, params.id)),
    bind(contract.refused, (ctx, { params, query }) => keys.refused(ctx, params.id, query)),
    bind(contract.remove, (ctx, { params }) => keys.remove(ctx, params.id)),
    bind(contract.product, (ctx, { params }) => links.product(ctx, params.id)),
    bind(contract.setProduct, (ctx, { params, body }) => links.setProduct(ctx, params.id, body)),
    bind(contract.clearProduct, (ctx, { params }) => links.clearProduct(ctx, params.id)),
    bind(contract.device, (ctx, { params }) => links.device(ctx, params.id)),
    bind(contract.setDevice, (ctx, { params, body }) => links.setDevice(ctx, params.id, body)),
    bind(contract.registerDevice, (ctx, { params }) => links.registerDevice(ctx, params.id)),
    bind(contract.unregisterDevice, (ctx, { params }) => links.unregisterDevice(ctx, params.id)),
    bind(telecomCallbacksContract.ctwing, (_, { params, body }, { ip }) =>
      callbacks.ctwing({ connection: params.connection, source: ip }, body),
    ),
    bind(telecomCallbacksContract.onenet, (_, { params, body }, { ip }) =>
      callbacks.onenet({ connection: params.connection, source: ip }, body),
    ),
    bind(telecomCallbacksContract.onenetCheck, async (_, { params, query }, { ip }) => {
      const text = await callbacks.onenetCheck({ connection: params.connection, source: ip }, query)
      return new StreamReply(Readable.from([text]), 'text/plain; charset=utf-8')
    }),
  ]
}
