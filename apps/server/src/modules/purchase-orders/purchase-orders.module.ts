import type { UsageView } from '@thingwright/contracts/company.contract'
import { type Ctx, dataScopeOf } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { type Logger, silentLogger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import { createAssetsService } from './assets.service.ts'
import { type CatalogueService, createCatalogueService } from './catalogue.service.ts'
import { createMoneyDesk, type MoneyDesk } from './desk.service.ts'
import { refundApprovals, transferApprovals } from './money.approvals.ts'
import { createOnlinePayments, type OnlinePayments } from './online.service.ts'
import { createOrderExports } from './order-export.ts'
import { seedMoney } from './orders.demo.ts'
import { runOrders } from './orders.job.ts'
import { createOrdersService, type OrdersService } from './orders.service.ts'
import type { PaymentClientFactory } from './payment.port.ts'
import { createPaymentsService, type PaymentsService } from './payments.service.ts'
import { createProvidersService, type ProvidersService } from './providers.service.ts'
import { purchaseOrdersRoutes } from './purchase-orders.routes.ts'
import { purchaseOrdersTools } from './purchase-orders.tools.ts'
import { createRefundsService, type RefundsService } from './refunds.service.ts'
import { createVoucherFiles, type VoucherStore } from './voucher-files.ts'

export interface PurchaseOrdersNeeds {
  database: Database
  logger: Logger
  quotas: { usage(ctx: Pick<Ctx, 'tenantId' | 'now'>): Promise<UsageView[]> }
  /** Clients of providers of payments. */
  paymentClients: PaymentClientFactory
  outboundAllow: readonly string[]
  objectStore: VoucherStore
  addresses(): { httpUrl: string }
  seal(purpose: string): CryptoBox
  now(): number
}

export interface PurchaseOrdersModule extends ModuleParts {
  orders: OrdersService
  payments: PaymentsService
  providers: ProvidersService
  online: OnlinePayments
  refunds: RefundsService
  catalogue: CatalogueService
  desk: MoneyDesk
  /** What time does to orders; runs by itself every few seconds. */
  work(now: number): Promise<void>
  routes: BoundRoute[]
}

/** Nothing is uploaded by the demo. */
const NO_STORE: VoucherStore = { put: async () => undefined, get: async () => null }

const WORK_EVERY_MS = 5_000

export function createPurchaseOrdersModule(needs: PurchaseOrdersNeeds): PurchaseOrdersModule {
  const { database, logger } = needs
  const payments = createPaymentsService({ database, logger, now: needs.now })
  const providers = createProvidersService({
    ...needs,
    box: needs.seal('payment-providers'),
    clients: needs.paymentClients,
  })
  const refunds = createRefundsService({ database, providers, now: needs.now })
  const online = createOnlinePayments({ ...needs, providers, payments, refunds })
  const orders = createOrdersService({ database, payments, online })
  const catalogue = createCatalogueService({ database })
  const desk = createMoneyDesk({ database, payments })
  const vouchers = createVoucherFiles({ database, store: needs.objectStore })
  const assets = createAssetsService({ database, usage: needs.quotas.usage })
  const work = (now: number) => runOrders(database, { payments, online }, now)
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  return {
    orders,
    payments,
    providers,
    online,
    refunds,
    catalogue,
    desk,
    work,
    routes: purchaseOrdersRoutes({
      database,
      orders,
      exports: createOrderExports(database, orders),
      assets,
      catalogue,
      desk,
      vouchers,
      providers,
      online,
    }),
    approvalSources: [transferApprovals(desk, vouchers), refundApprovals(refunds)],
    search: [found(orders)],
    runs: [
      {
        name: 'orders',
        phase: 'work',
        start() {
          const again = () => {
            running = work(needs.now())
              .catch(error => logger.error({ err: error }, 'orders were not looked after'))
              .then(() => {
                timer = setTimeout(again, WORK_EVERY_MS)
              })
          }
          timer = setTimeout(again, WORK_EVERY_MS)
        },
        async stop() {
          if (timer) clearTimeout(timer)
          await running
          if (timer) clearTimeout(timer)
        },
      },
    ],
  }
}

const found = (orders: OrdersService): SearchSource => ({
  kind: 'purchase_order',
  permission: 'money:read',
  async find(ctx, q, limit) {
    // Money is the whole company's, as its routes say.
    if (dataScopeOf(ctx.actor).kind !== 'all') return []
    return (await orders.list(ctx, { q, limit })).items.map(order => ({
      id: order.id,
      title: order.no,
      subtitle: (ctx.locale === 'zh' ? order.items[0]?.name : order.items[0]?.ename) ?? '',
      link: `/cost/order/detail?id=${order.id}`,
    }))
  },
})

/** Orders of companies and what they are paid with. */
export const purchaseOrdersModule = defineModule({
  name: 'purchase-orders',
  tools: purchaseOrdersTools,
  create: createPurchaseOrdersModule,
  async seedDemo(database: Database, tenantId: string, seal: (purpose: string) => CryptoBox) {
    const parts = createPurchaseOrdersModule({
      database,
      logger: silentLogger,
      quotas: { usage: async () => [] },
      paymentClients: () => {
        throw new Error('nobody pays the demo')
      },
      outboundAllow: [],
      objectStore: NO_STORE,
      addresses: () => ({ httpUrl: '' }),
      seal,
      now: Date.now,
    })
    await seedMoney(database, tenantId, parts)
  },
})
