import type { AttentionSource } from '../lib/attention.ts'
import type { Database } from '../lib/database/database.ts'
import type { Logger } from '../lib/log.ts'
import type { ModuleDefinition } from '../lib/module.ts'
import { addressesModule } from '../modules/addresses/index.ts'
import { consentsModule } from '../modules/consents/index.ts'
import type { Inbox } from '../modules/notifications/index.ts'
import { savedViewsModule } from '../modules/saved-views/index.ts'
import { statisticsModule } from '../modules/statistics/index.ts'
import type { QuotaGuard } from '../modules/tenants/index.ts'

/** What a module of the list below can ask for. It names what it takes of this in its own type. */
export interface FurtherNeeds {
  database: Database
  logger: Logger
  inbox: Inbox
  quotas: QuotaGuard
  now(): number
  /** What all modules know that people should look at, once all of them are made. */
  attention(): readonly AttentionSource[]
}

/** Modules that no other asks: one line here registers everything that such a module brings along. */
export const FURTHER_MODULES: readonly ModuleDefinition<FurtherNeeds>[] = [
  addressesModule,
  consentsModule,
  savedViewsModule,
  statisticsModule,
]
