import type { BoundRoute } from '../../lib/http.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { rolesRoutes } from './roles.routes.ts'
import { rolesFound } from './roles.search.ts'
import { createRolesService, type RolesService, type RolesServiceDeps } from './roles.service.ts'

export interface RolesModule extends ModuleParts {
  service: RolesService
  routes: BoundRoute[]
}

export function createRolesModule(deps: RolesServiceDeps): RolesModule {
  const service = createRolesService(deps)
  return { service, routes: rolesRoutes(service, deps.database), search: [rolesFound(service)] }
}
