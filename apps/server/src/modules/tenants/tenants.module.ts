import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { Inbox } from '../notifications/index.ts'
import { type CompanyService, createCompanyService } from './company.service.ts'
import type { CompanyFileStore } from './company-files.ts'
import { type CompanyStateJob, createCompanyStateJob } from './company-state.job.ts'
import { readPlatformSettings } from './platform.repo.ts'
import { quotasAttention } from './quotas.attention.ts'
import { createQuotasService, type QuotasService } from './quotas.service.ts'
import { createSupportService, type SupportService } from './support.service.ts'
import { tenantsRoutes } from './tenants.routes.ts'
import { createTenantsService, type TenantsService } from './tenants.service.ts'
import { createVerificationService, type VerificationService } from './verification.service.ts'

export interface TenantsDeps {
  database: Database
  inbox: Inbox
  store: CompanyFileStore
}

export interface TenantsModule extends ModuleParts {
  service: TenantsService
  company: CompanyService
  quotas: QuotasService
  verification: VerificationService
  support: SupportService
  states: CompanyStateJob
  routes: BoundRoute[]
}

export function createTenantsModule(deps: TenantsDeps): TenantsModule {
  const { database, inbox, store } = deps
  const service = createTenantsService(database)
  const parts = {
    service,
    company: createCompanyService({
      database,
      tenants: service,
      platformContact: async () => (await readPlatformSettings(database)).contact,
    }),
    quotas: createQuotasService({ database, tenants: service, inbox }),
    verification: createVerificationService({ database, store, inbox }),
    support: createSupportService({ database }),
    states: createCompanyStateJob({ database, inbox }),
  }
  return {
    ...parts,
    routes: tenantsRoutes(parts),
    attention: [quotasAttention(parts.quotas)],
    watchCompany: (tenantId, now) => parts.quotas.watch(tenantId, now),
  }
}
