import { inBackground } from '../../lib/background.ts'
import { dataScopeOf } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts, type Run } from '../../lib/module.ts'
import type { Inbox, MailPort } from '../notifications/index.ts'
import type { PaymentClientFactory } from '../purchase-orders/index.ts'
import type { TasksModule } from '../tasks/index.ts'
import { createTelemetryModule } from '../telemetry/index.ts'
import { type AccountsService, createAccountsService } from './accounts.service.ts'
import { type BillingService, createBilling } from './billing.service.ts'
import { type CutoffsDeps, type CutoffsService, createCutoffs, type SwitchPort } from './cutoffs.service.ts'
import { createMerchantPayments, type MerchantPayments } from './merchant-payments.service.ts'
import { createMerchantsService, type MerchantsService } from './merchants.service.ts'
import { type CountersPort, createMetersService, type MetersService } from './meters.service.ts'
import { createMeterPayments, type MeterPaymentsService } from './payments.service.ts'
import { BILL_TASK, createRunsService, type RunsService } from './runs.service.ts'
import { createStatementsService, type StatementsService } from './statements.service.ts'
import { seedTariffs } from './tariffs.demo.ts'
import { tariffsRoutes } from './tariffs.routes.ts'
import { createTariffsService, type TariffsService } from './tariffs.service.ts'
import { tariffsTools } from './tariffs.tools.ts'
import { tariffsTransfer } from './tariffs.transfer.ts'

export interface TariffsNeeds {
  database: Database
  telemetry: { service: CountersPort & CutoffsDeps['telemetry'] }
  tasks: Pick<TasksModule, 'service' | 'register'>
  commands: { service: SwitchPort }
  inbox: Inbox
  mail: MailPort
  /** Clients of providers of payments. */
  paymentClients: PaymentClientFactory
  outboundAllow: readonly string[]
  addresses(): { httpUrl: string }
  seal(purpose: string): CryptoBox
  logger: Logger
  now(): number
  timeZone(tenantId: string): Promise<string>
}

export interface TariffsModule extends ModuleParts {
  tariffs: TariffsService
  meters: MetersService
  billing: BillingService
  statements: StatementsService
  billingRuns: RunsService
  accounts: AccountsService
  payments: MeterPaymentsService
  merchants: MerchantsService
  merchantPayments: MerchantPayments
  cutoffs: CutoffsService
  routes: BoundRoute[]
}

export function createTariffsModule(needs: TariffsNeeds): TariffsModule {
  const { database, tasks, timeZone } = needs
  const telemetry = needs.telemetry.service
  const tariffs = createTariffsService({ database })
  const meters = createMetersService({ database, telemetry })
  const billing = createBilling({ database, telemetry })
  const statements = createStatementsService({ database })
  const accounts = createAccountsService({ database })
  const runs = createRunsService({ database, tasks, billing, timeZone })
  const cutoffs = createCutoffs({ ...needs, billing, telemetry, commands: needs.commands.service })
  /** What payments began. */
  const restoring = new Set<Promise<void>>()
  const onPaid = (tenantId: string) => {
    const work: Promise<void> = cutoffs
      .workFor(tenantId, needs.now())
      .catch((error: unknown) => needs.logger.error({ err: error, tenantId }, 'what was paid was not looked after'))
      .finally(() => restoring.delete(work))
    restoring.add(work)
    inBackground('restoring what was paid', work)
  }
  const merchants = createMerchantsService(needs)
  const merchantPayments = createMerchantPayments({ ...needs, merchants, onPaid })
  const payments = createMeterPayments({ database, merchants, online: merchantPayments, onPaid })
  tasks.register(BILL_TASK, {
    run: task => runs.run(task),
    needs: () => ['money:write'],
    wholeCompany: true,
    resumable: true,
  })
  const parts = {
    tariffs,
    meters,
    billing,
    statements,
    billingRuns: runs,
    accounts,
    payments,
    merchants,
    merchantPayments,
    cutoffs,
  }
  return {
    ...parts,
    routes: tariffsRoutes({ database, timeZone, runs, ...parts }),
    search: [foundMeters(meters), foundTariffs(tariffs)],
    transferSources: [tariffsTransfer(database)],
    runs: [lookAfter(needs, { cutoffs, merchantPayments }, restoring)],
  }
}

const WORK_EVERY_MS = 2_000

/** Prepaid meters, every two seconds: a payment restores within ten what was cut off. */
function lookAfter(
  { logger, now }: TariffsNeeds,
  { cutoffs, merchantPayments }: Pick<TariffsModule, 'cutoffs' | 'merchantPayments'>,
  begun: ReadonlySet<Promise<void>>,
): Run {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  const again = () => {
    running = merchantPayments
      .askDue(now())
      .catch((error: unknown) => logger.error({ err: error }, 'payments of end users were not asked about'))
      .then(() => cutoffs.work(now()))
      .catch((error: unknown) => logger.error({ err: error }, 'prepaid meters were not looked after'))
      .then(() => {
        if (!stopped) timer = setTimeout(again, WORK_EVERY_MS)
      })
  }
  return {
    name: 'prepaid meters',
    phase: 'work',
    start() {
      timer = setTimeout(again, WORK_EVERY_MS)
    },
    async stop() {
      stopped = true
      if (timer) clearTimeout(timer)
      await running
      await Promise.all(begun)
    },
  }
}

const PAGE = '/cost/tariffs'

// Money is the whole company's, as its routes say.
const foundMeters = (service: MetersService): SearchSource => ({
  kind: 'meter',
  permission: 'money:read',
  find: async (ctx, q, limit) =>
    dataScopeOf(ctx.actor).kind !== 'all'
      ? []
      : (await service.list(ctx, { q, limit })).items.map(item => ({
          id: item.id,
          title: item.name,
          subtitle: item.endUserName || item.deviceName,
          link: `${PAGE}?tab=meters&id=${item.id}`,
        })),
})

const foundTariffs = (service: TariffsService): SearchSource => ({
  kind: 'tariff',
  permission: 'money:read',
  find: async (ctx, q, limit) =>
    dataScopeOf(ctx.actor).kind !== 'all'
      ? []
      : (await service.list(ctx, { q, limit })).items.map(item => ({
          id: item.id,
          title: item.name,
          subtitle: item.unit,
          link: `${PAGE}?id=${item.id}`,
        })),
})

/** What a company charges its end users by their meters. */
export const tariffsModule = defineModule({
  name: 'tariffs',
  tools: tariffsTools,
  create: createTariffsModule,
  seedDemo: (database: Database, tenantId: string) => {
    const { service } = createTelemetryModule({ database })
    return seedTariffs(database, tenantId, {
      tariffs: createTariffsService({ database }),
      meters: createMetersService({ database, telemetry: service }),
      billing: createBilling({ database, telemetry: service }),
    })
  },
})
