import type { HealthView } from '@thingwright/contracts/operator.contract'
import type { BoundRoute } from '../../lib/http.ts'
import type { TasksService } from '../tasks/index.ts'
import type { VerificationService } from '../tenants/index.ts'
import { type AnnouncementsService, createAnnouncementsService } from './announcements.service.ts'
import { type ApprovalsService, createApprovalsService } from './approvals.service.ts'
import { type CompaniesDeps, type CompaniesService, createCompaniesService } from './companies.service.ts'
import { createJobsService, type JobsService } from './jobs.service.ts'
import { licenceApprovals } from './licence.approval.ts'
import { operatorRoutes } from './operator.routes.ts'
import { createPlatformSettingsService, type PlatformSettingsService } from './platform-settings.service.ts'

export interface OperatorDeps extends CompaniesDeps {
  tasks: Pick<TasksService, 'listEverywhere' | 'cancelEverywhere' | 'retryEverywhere'>
  verification: Pick<VerificationService, 'cases' | 'decide' | 'caseFile'>
  /** How every component is; put together by whoever knows them all. */
  health(): Promise<HealthView>
}

export interface OperatorModule {
  companies: CompaniesService
  /** Modules with something to approve register here. */
  approvals: ApprovalsService
  announcements: AnnouncementsService
  jobs: JobsService
  settings: PlatformSettingsService
  health(): Promise<HealthView>
  routes: BoundRoute[]
}

/** The desk of those who run the platform. */
export function createOperatorModule(deps: OperatorDeps): OperatorModule {
  const { database, inbox } = deps
  const desk = {
    companies: createCompaniesService(deps),
    approvals: createApprovalsService(),
    announcements: createAnnouncementsService({ database, inbox }),
    jobs: createJobsService({ database, tasks: deps.tasks }),
    settings: createPlatformSettingsService({ database }),
    health: deps.health,
  }
  desk.approvals.register(licenceApprovals(deps.verification))
  return { ...desk, routes: operatorRoutes(desk) }
}
