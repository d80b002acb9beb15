import type { BoundRoute } from '../../lib/http.ts'
import { rolesRoutes } from './roles.routes.ts'
import { createRolesService, type RolesService, type RolesServiceDeps } from './roles.service.ts'

export interface RolesModule {
  service: RolesService
  routes: BoundRoute[]
}

export function createRolesModule(deps: RolesServiceDeps): RolesModule {
  const service = createRolesService(deps)
  return { service, routes: rolesRoutes(service, deps.database) }
}
