import { carriersContract } from '@thingwright/contracts/carriers.contract'
import { simCardsContract as contract } from '@thingwright/contracts/sim-cards.contract'
import { simTrafficContract } from '@thingwright/contracts/sim-traffic.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AccountsService } from './accounts.service.ts'
import type { CardsService } from './cards.service.ts'
import { exportCards } from './export.ts'
import { importCards, importTemplate } from './import.ts'
import type { OperationsService } from './operations.service.ts'

export function simCardsRoutes(
  database: Database,
  accounts: AccountsService,
  cards: CardsService,
  operations: OperationsService,
): BoundRoute[] {
  return [
    bind(carriersContract.list, ctx => accounts.list(ctx)),
    bind(carriersContract.create, (ctx, { body }) => accounts.create(ctx, body)),
    bind(carriersContract.update, (ctx, { params, body }) => accounts.update(ctx, params.id, body)),
    bind(carriersContract.test, (ctx, { params }) => accounts.test(ctx, params.id)),
    bind(carriersContract.sync, (ctx, { params }) => accounts.sync(ctx, params.id)),
    bind(carriersContract.remove, (ctx, { params }) => accounts.remove(ctx, params.id)),
    bind(contract.list, (ctx, { query }) => cards.list(ctx, query)),
    bind(contract.counts, (ctx, { query }) => cards.counts(ctx, query)),
    bind(contract.export, (ctx, { query }) => exportCards({ database, cards }, ctx, query)),
    bind(contract.template, (ctx, { query }) => importTemplate(ctx, query.format)),
    bind(contract.operations, (ctx, { query }) => operations.list(ctx, query)),
    bind(contract.create, (ctx, { body }) => cards.create(ctx, body)),
    bind(contract.import, (ctx, { body }, { file }) => importCards(database, ctx, body, file)),
    bind(contract.updateMany, (ctx, { body }) => cards.updateMany(ctx, body)),
    bind(contract.operateMany, (ctx, { body }) => operations.operateMany(ctx, body)),
    bind(contract.get, (ctx, { params }) => cards.get(ctx, params.id)),
    bind(contract.usage, (ctx, { params, query }) => cards.usage(ctx, params.id, query.by ?? 'day')),
    bind(contract.events, (ctx, { params, query }) => cards.events(ctx, params.id, query)),
    bind(contract.update, (ctx, { params, body }) => cards.update(ctx, params.id, body)),
    bind(contract.bind, (ctx, { params, body }) => cards.bind(ctx, params.id, body.deviceId)),
    bind(contract.sync, (ctx, { params }) => cards.sync(ctx, params.id)),
    bind(contract.diagnose, (ctx, { params }) => cards.diagnose(ctx, params.id)),
    bind(contract.operate, (ctx, { params, body }) => operations.operate(ctx, params.id, body)),
    bind(contract.remove, (ctx, { params }) => cards.remove(ctx, params.id)),
    bind(simTrafficContract.ofDevice, (ctx, { params }) => cards.trafficOf(ctx, params.id)),
  ]
}
