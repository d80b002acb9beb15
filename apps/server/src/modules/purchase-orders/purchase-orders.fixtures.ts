import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { silentLogger } from '../../lib/log.ts'
import {
  createPurchaseOrdersModule,
  type PurchaseOrdersModule,
  type PurchaseOrdersNeeds,
} from './purchase-orders.module.ts'

/** The module on a test database, without providers of payments where the test brings none. */
export function moneyFixture(
  database: Database,
  over: Partial<PurchaseOrdersNeeds> & Pick<PurchaseOrdersNeeds, 'now'>,
): PurchaseOrdersModule {
  return createPurchaseOrdersModule({
    database,
    logger: silentLogger,
    quotas: { usage: async () => [] },
    paymentClients: () => {
      throw new Error('this test pays nobody')
    },
    outboundAllow: [],
    objectStore: { put: async () => undefined, get: async () => null },
    addresses: () => ({ httpUrl: 'http://127.0.0.1:9' }),
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    ...over,
  })
}
