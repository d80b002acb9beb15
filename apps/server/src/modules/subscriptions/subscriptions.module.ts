import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { JournalReader } from '../../lib/journal/journal-reader.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { OwnedObjects } from '../../lib/owned.ts'
import type { Inbox } from '../notifications/index.ts'
import { type CatalogueDeps, SubscriptionCatalogue } from './catalogue.ts'
import { systemTiming, type Timing } from './deliverer.ts'
import { Deliverers, type DeliverersDeps } from './deliverers.ts'
import { Outbox } from './outbox.ts'
import type { QueuePool } from './queue.repo.ts'
import type { SampleDeps } from './samples.ts'
import { SubscriptionSecrets } from './secrets.ts'
import { createSubscriptionQueueService, type SubscriptionQueueService } from './subscription-queue.service.ts'
import { createSubscriptionsReader } from './subscriptions.reader.ts'
import * as repo from './subscriptions.repo.ts'
import { subscriptionsRoutes } from './subscriptions.routes.ts'
import { createSubscriptionsService, type SubscriptionsService } from './subscriptions.service.ts'
import type { TargetAdapters } from './target.port.ts'

export interface SubscriptionsDeps extends Pick<SampleDeps, 'latest' | 'lastEvent'>, Pick<CatalogueDeps, 'scopeNow'> {
  database: Database
  /** Connections of the telemetry role that the queues have for themselves: nothing else waits for them. */
  queuePool: QueuePool
  adapters: TargetAdapters
  /** Where clients reach our own MQTT listener. */
  mqtt(): { host: string; port: number }
  /** Networks of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  /** Seals the secrets of targets. */
  box: CryptoBox
  inbox: Inbox
  logger: Logger
  timing?: Timing
  rounds?: DeliverersDeps['rounds']
}

export interface SubscriptionsModule extends ModuleParts {
  service: SubscriptionsService
  queue: SubscriptionQueueService
  /** Knows which subscription wants which items; the consumer of the journal asks it. */
  catalogue: SubscriptionCatalogue
  deliverers: Deliverers
  outbox: Outbox
  routes: BoundRoute[]
  /** Subscriptions of a member who leaves: counted and handed over with what he owns. */
  owned: readonly [OwnedObjects]
  consumers: readonly JournalReader[]
  start(): Promise<void>
  stop(): Promise<void>
}

export function createSubscriptionsModule(deps: SubscriptionsDeps): SubscriptionsModule {
  const { database, queuePool, adapters, logger } = deps
  const timing = deps.timing ?? systemTiming
  const secrets = new SubscriptionSecrets(deps.box)
  const catalogue = new SubscriptionCatalogue({ scopeNow: deps.scopeNow, now: () => timing.now() })
  const deliverers = new Deliverers({
    database,
    queuePool,
    adapters,
    secrets,
    inbox: deps.inbox,
    timing,
    logger,
    ...(deps.rounds ? { rounds: deps.rounds } : {}),
  })
  const outbox = new Outbox({ pool: queuePool, catalogue, onQueued: ids => deliverers.wake(ids), timing, logger })
  const service = createSubscriptionsService({
    database,
    queuePool,
    deliverers,
    adapters,
    mqtt: deps.mqtt,
    outboundAllow: deps.outboundAllow,
    secrets,
    async onChanged(id) {
      catalogue.changed()
      await deliverers.sync(id)
    },
  })
  const queue = createSubscriptionQueueService({ ...deps, deliverers, subscriptions: service })
  async function start(): Promise<void> {
    await deliverers.start()
    outbox.start()
  }
  async function stop(): Promise<void> {
    await outbox.stop()
    await deliverers.stop()
  }
  return {
    service,
    queue,
    catalogue,
    deliverers,
    outbox,
    routes: subscriptionsRoutes(service, queue),
    owned: [
      {
        kind: 'subscription',
        count: repo.countOwned,
        async handOver(scope, from, to) {
          const moved = await repo.handOver(scope, from, to)
          // "What he created" means the devices of the new owner now.
          if (moved > 0) scope.afterCommit(() => catalogue.changed())
          return moved
        },
      },
    ],
    consumers: [createSubscriptionsReader(catalogue, ids => deliverers.wake(ids))],
    hears: { 'rights.changed': () => catalogue.changed(), 'owner.changed': () => catalogue.changed() },
    gauges: () => deliverers.gauges(),
    runs: [{ name: 'subscriptions', phase: 'journal', start, stop }],
    start,
    stop,
  }
}
