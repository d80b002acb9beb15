import type { Actor } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import { createCompanyMail } from '../contacts/index.ts'
import type { Inbox, MailPort } from '../notifications/index.ts'
import type { TasksModule } from '../tasks/index.ts'
import { REPORT_TASK, type ReportTaskDeps, reportTask } from './report-task.ts'
import { seedDemoReports } from './reports.demo.ts'
import * as repo from './reports.repo.ts'
import { reportsRoutes } from './reports.routes.ts'
import { createReportRunner, type ReportRunner } from './reports.runner.ts'
import { createReportsService, type ReportsService } from './reports.service.ts'
import { reportsTools } from './reports.tools.ts'
import { reportsTransfer } from './reports.transfer.ts'
import { behind, forgetRuns } from './runs.repo.ts'

type MailNeeds = Parameters<typeof createCompanyMail>[0]

export interface ReportsNeeds extends Omit<ReportTaskDeps, 'mail' | 'names'>, Omit<MailNeeds, 'mail'> {
  database: Database
  mail: MailPort
  inbox: Inbox
  tasks: Pick<TasksModule, 'register'> & { service: Pick<TasksModule['service'], 'startIn'> }
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  logger: Logger
}

export interface ReportsModule extends ModuleParts {
  service: ReportsService
  /** Started in processes with the worker role. */
  runner: ReportRunner
  routes: BoundRoute[]
}

const KEPT_MS = 180 * 86_400_000

export function createReportsModule(needs: ReportsNeeds): ReportsModule {
  const { database } = needs
  const namesIn =
    (inside: Database): ReportTaskDeps['names'] =>
    (ctx, ids) =>
      inside.withTenant(ctx, scope => repo.devicesOf(scope, ids))
  const names = namesIn(database)
  const runner = createReportRunner(needs)
  const serviceOf = (inside: Database) =>
    createReportsService({ ...needs, database: inside, names: namesIn(inside), wake: () => runner.wake() })
  const service = serviceOf(database)
  needs.tasks.register(REPORT_TASK, reportTask({ ...needs, names, mail: createCompanyMail(needs) }))
  return {
    service,
    runner,
    routes: reportsRoutes(service),
    search: [found(service)],
    transferSources: [reportsTransfer(database, serviceOf)],
    owned: [{ kind: 'report', count: repo.countOwned, handOver: repo.handOver }],
    sweeps: [
      {
        name: 'the log of reports',
        run: now => database.withSystemScope('reports', scope => forgetRuns(scope, new Date(now - KEPT_MS))),
      },
    ],
    runs: [{ name: 'reports', phase: 'address', start: () => runner.start(), stop: () => runner.stop() }],
    async gauges() {
      const { lag, waiting } = await database.withSystemScope('reports', scope => behind(scope, new Date(needs.now())))
      return { reports_lag_seconds: lag, report_runs_waiting: waiting }
    },
  }
}

const found = (service: ReportsService): SearchSource => ({
  kind: 'report',
  permission: 'report:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: item.name,
      subtitle: item.description,
      link: `/stat/reports?report=${item.id}`,
    })),
})

export const reportsModule = defineModule({
  name: 'reports',
  tools: reportsTools,
  create: createReportsModule,
  seedDemo: (database: Database, tenantId: string, _seal: (purpose: string) => CryptoBox) =>
    seedDemoReports(database, tenantId),
})
