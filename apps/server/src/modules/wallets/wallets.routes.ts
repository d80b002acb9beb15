import { walletsContract } from '@thingwright/contracts/wallets.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { balanceStatement } from './balance-statement.ts'
import type { MoneyExports } from './money-export.ts'
import type { WalletsService } from './wallets.service.ts'

export function walletsRoutes(database: Database, wallets: WalletsService, exports: MoneyExports): BoundRoute[] {
  return [
    bind(walletsContract.settings, (ctx, { body }) => wallets.settings(ctx, body)),
    bind(walletsContract.entries, (ctx, { query }) => wallets.entries(ctx, query)),
    bind(walletsContract.exportEntries, (ctx, { query }) => exports.entries(ctx, query)),
    bind(walletsContract.balanceStatement, (ctx, { query }) => balanceStatement(database, ctx, query.month)),
    bind(walletsContract.consumption, (ctx, { query }) => wallets.consumption(ctx, query)),
    bind(walletsContract.exportConsumption, (ctx, { query }) => exports.consumption(ctx, query)),
    bind(walletsContract.unitUses, (ctx, { query }) => wallets.unitUses(ctx, query)),
    bind(walletsContract.exportUnitUses, (ctx, { query }) => exports.unitUses(ctx, query)),
    bind(walletsContract.statements, (ctx, { query }) => wallets.statements(ctx, query)),
  ]
}
