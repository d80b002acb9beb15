import type { AttentionSource } from '../../lib/attention.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import { createSampler, type Sampler } from './sampler.ts'
import * as samples from './samples.repo.ts'
import { statisticsRoutes } from './statistics.routes.ts'
import { createStatisticsService, type StatisticsService } from './statistics.service.ts'

export interface StatisticsNeeds {
  database: Database
  logger: Logger
  now(): number
  /** What all modules know that people should look at; asked when somebody looks, when all modules are made. */
  attention(): readonly AttentionSource[]
}

export interface StatisticsModule extends ModuleParts {
  service: StatisticsService
  sampler: Sampler
  routes: BoundRoute[]
}

export function createStatisticsModule(needs: StatisticsNeeds): StatisticsModule {
  const { database } = needs
  const sampler = createSampler(needs)
  const service = createStatisticsService({ ...needs, sampler })
  return {
    service,
    sampler,
    routes: statisticsRoutes(service),
    runs: [{ name: 'samples of fleets', phase: 'work', start: () => sampler.start(), stop: () => sampler.stop() }],
    sweeps: [
      {
        name: 'old samples of fleets',
        run: now => database.withSystemScope('maintenance', scope => samples.forgetOld(scope, now)),
      },
    ],
  }
}

export const statisticsModule = defineModule({ name: 'statistics', create: createStatisticsModule })
