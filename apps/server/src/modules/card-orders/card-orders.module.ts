import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { type Logger, silentLogger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import { payFromBalance } from '../purchase-orders/index.ts'
import { ACCOUNT_SEAL } from '../sim-cards/index.ts'
import { type CardDesk, createCardDesk } from './card-desk.service.ts'
import { runCardOrders } from './card-fulfilment.ts'
import { seedCardOrders } from './card-orders.demo.ts'
import { cardOrdersRoutes } from './card-orders.routes.ts'
import { type CardOrdersService, createCardOrders } from './card-orders.service.ts'

export interface CardOrdersNeeds {
  database: Database
  seal(purpose: string): CryptoBox
  /** Networks of OUTBOUND_ALLOW, which a source's address may lie in. */
  outboundAllow: readonly string[]
  logger: Logger
  now(): number
}

export interface CardOrdersModule extends ModuleParts {
  service: CardOrdersService
  desk: CardDesk
  /** What time does to orders of cards; runs by itself every few seconds. */
  work(now: number): Promise<void>
  routes: BoundRoute[]
}

const WORK_EVERY_MS = 5_000

export function createCardOrdersModule(needs: CardOrdersNeeds): CardOrdersModule {
  const { database, logger } = needs
  const boxes = { sources: needs.seal('card-sources'), accounts: needs.seal(ACCOUNT_SEAL) }
  const service = createCardOrders({ database, boxes })
  const desk = createCardDesk({ database, boxes, outboundAllow: needs.outboundAllow })
  const work = (now: number) => runCardOrders({ database, boxes, logger }, now)
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  return {
    service,
    desk,
    work,
    routes: cardOrdersRoutes(database, service, desk),
    runs: [
      {
        name: 'orders of SIM cards',
        phase: 'work',
        start() {
          const again = () => {
            running = work(needs.now())
              .catch(error => logger.error({ err: error }, 'orders of SIM cards were not looked after'))
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

/** SIM cards that companies buy from the platform. */
export const cardOrdersModule = defineModule({
  name: 'card-orders',
  create: createCardOrdersModule,
  async seedDemo(database: Database, tenantId: string, seal: CardOrdersNeeds['seal']) {
    const parts = createCardOrdersModule({
      database,
      seal,
      outboundAllow: [],
      logger: silentLogger,
      now: Date.now,
    })
    await seedCardOrders(tenantId, { ...parts, pay: orderId => payFromBalance(database, tenantId, orderId) })
  },
})
