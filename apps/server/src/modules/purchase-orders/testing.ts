import type { Database } from '../../lib/database/database.ts'
import { silentLogger } from '../../lib/log.ts'
import { createPurchaseOrdersModule } from './purchase-orders.module.ts'

export { createCatalogueService } from './catalogue.service.ts'

/** Orders and payments for tests of modules that sell something through them. */
export const createMoneyModule = (database: Database, now: () => number) =>
  createPurchaseOrdersModule({ database, logger: silentLogger, quotas: { usage: async () => [] }, now })
