import { cardDeskContract, cardOrdersContract as contract } from '@thingwright/contracts/card-orders.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { CardDesk } from './card-desk.service.ts'
import { exportCardOrders } from './card-order-export.ts'
import type { CardOrdersService } from './card-orders.service.ts'

export function cardOrdersRoutes(database: Database, service: CardOrdersService, desk: CardDesk): BoundRoute[] {
  return [
    bind(contract.list, (ctx, { query }) => service.list(ctx, query)),
    bind(contract.export, (ctx, { query }) => exportCardOrders(database, service, ctx, query)),
    bind(contract.get, (ctx, { params }) => service.get(ctx, params.id)),
    bind(contract.create, (ctx, { body }) => service.create(ctx, body)),
    bind(contract.renew, (ctx, { body }) => service.renew(ctx, body)),
    bind(contract.receive, (ctx, { params }) => service.receive(ctx, params.id)),
    bind(cardDeskContract.orders, (ctx, { query }) => desk.orders(ctx, query)),
    bind(cardDeskContract.ship, (ctx, { params, body }) => desk.ship(ctx, params.id, body)),
    bind(cardDeskContract.sources, ctx => desk.sources(ctx)),
    bind(cardDeskContract.createSource, (ctx, { body }) => desk.createSource(ctx, body)),
    bind(cardDeskContract.updateSource, (ctx, { params, body }) => desk.updateSource(ctx, params.id, body)),
    bind(cardDeskContract.stock, (ctx, { query }) => desk.stock(ctx, query)),
    bind(cardDeskContract.addStock, (ctx, { body }) => desk.addStock(ctx, body)),
    bind(cardDeskContract.removeStock, (ctx, { params }) => desk.removeStock(ctx, params.iccid)),
  ]
}
