import type { Database } from '../../lib/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { auditRoutes } from './audit.routes.ts'
import { type AuditService, createAuditService } from './audit.service.ts'

export interface AuditModule {
  service: AuditService
  routes: BoundRoute[]
}

export function createAuditModule(deps: { database: Database }): AuditModule {
  const service = createAuditService(deps)
  return { service, routes: auditRoutes(service) }
}
