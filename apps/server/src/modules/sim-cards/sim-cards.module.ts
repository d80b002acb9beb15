import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TasksModule } from '../tasks/index.ts'
import type { TriggersModule } from '../triggers/index.ts'
import * as accountsRepo from './accounts.repo.ts'
import { type AccountsService, createAccountsService } from './accounts.service.ts'
import { cardFacts } from './alerts.ts'
import { cardsAttention } from './cards.attention.ts'
import * as repo from './cards.repo.ts'
import { type CardsService, createCardsService } from './cards.service.ts'
import type { CarrierFactory } from './carrier.port.ts'
import { createCarriers } from './carriers.ts'
import * as operations from './operations.repo.ts'
import { createOperationRunner, type OperationRunner } from './operations.runner.ts'
import { createOperationsService, type OperationsService } from './operations.service.ts'
import { connectCardsDemo } from './sim-cards.demo.ts'
import { simCardsRoutes } from './sim-cards.routes.ts'
import { simCardsTools } from './sim-cards.tools.ts'
import { syncBeside, syncHandler } from './sync.ts'
import { operationAction } from './trigger-actions.ts'

export interface SimCardsNeeds {
  database: Database
  inbox: Inbox
  tasks: TasksModule
  triggers: Pick<TriggersModule, 'offer' | 'objects'>
  carriers: CarrierFactory
  outboundAllow: readonly string[]
  seal(purpose: string): CryptoBox
  logger: Logger
  now(): number
}

export interface SimCardsModule extends ModuleParts {
  accounts: AccountsService
  cards: CardsService
  operations: OperationsService
  /** Started in processes with the worker role. */
  runner: OperationRunner
  routes: BoundRoute[]
}

const DAY_MS = 86_400_000
const KEEP_USAGE_DAYS = 400
const KEEP_EVENTS_DAYS = 400
/** The purpose that secrets of accounts are sealed for. */
export const ACCOUNT_SEAL = 'carrier-accounts'

export function createSimCardsModule(needs: SimCardsNeeds): SimCardsModule {
  const { database, now } = needs
  const carriers = createCarriers(needs.carriers, needs.seal(ACCOUNT_SEAL))
  const deps = { ...needs, carriers }
  const accounts = createAccountsService(deps)
  const cards = createCardsService(deps)
  const runner = createOperationRunner(deps)
  const service = createOperationsService({ database, onQueued: () => runner.wake() })
  for (const kind of ['sim_stop', 'sim_limit'] as const)
    needs.triggers.offer(operationAction(kind, { database, operations: service }, now))
  needs.triggers.objects({
    kind: 'sim',
    facts: async (scope, at) =>
      (await repo.facts(scope)).map(card => ({ id: card.id, name: card.iccid, values: cardFacts(card, at) })),
  })
  needs.tasks.register('sim_card.sync', syncHandler(deps))
  return {
    accounts,
    cards,
    operations: service,
    runner,
    routes: simCardsRoutes(database, accounts, cards, service),
    connectionNames: [
      {
        system: 'carrier',
        list: async scope =>
          (await accountsRepo.list(scope))
            .filter(({ simulated }) => !simulated)
            .map(({ name, baseUrl: address }) => ({ name, address })),
      },
    ],
    search: [found(cards)],
    attention: [cardsAttention(database)],
    runs: [{ name: 'operations of SIM cards', phase: 'work', start: () => runner.start(), stop: () => runner.stop() }],
    watchCompany: tenantId => syncBeside(deps, tenantId),
    connectDemo: (ctx, demo) => connectCardsDemo({ ...deps, accounts }, ctx, demo),
    sweeps: [
      {
        name: 'what is kept of SIM cards',
        run: () =>
          database.withSystemScope('sim-cards', async scope => {
            await repo.forgetUsage(scope, new Date(now() - KEEP_USAGE_DAYS * DAY_MS))
            await repo.forgetEvents(scope, new Date(now() - KEEP_EVENTS_DAYS * DAY_MS))
            await operations.forget(scope, new Date(now() - KEEP_EVENTS_DAYS * DAY_MS))
          }),
      },
    ],
    async gauges() {
      const { at, waiting } = await database.withSystemScope('sim-cards', scope => operations.nextDue(scope))
      return {
        sim_card_operations_waiting: waiting,
        sim_card_operations_lag_seconds: at ? Math.max(0, (now() - at.getTime()) / 1_000) : 0,
      }
    },
  }
}

const found = (service: CardsService): SearchSource => ({
  kind: 'sim_card',
  permission: 'sim-card:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(card => ({
      id: card.id,
      title: card.iccid,
      subtitle: [card.msisdn, card.deviceName].filter(Boolean).join(' · '),
      link: `/flowCard/${card.carrier === 'cmcc' ? 'Cmcc' : 'Ctcc'}FlowCard?card=${card.id}`,
    })),
})

export const simCardsModule = defineModule({
  name: 'sim-cards',
  tools: simCardsTools,
  create: createSimCardsModule,
})
