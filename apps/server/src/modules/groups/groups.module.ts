import type { BoundRoute } from '../../lib/http.ts'
import { groupsRoutes } from './groups.routes.ts'
import { createGroupsService, type GroupsDeps, type GroupsService } from './groups.service.ts'

export interface GroupsModule {
  service: GroupsService
  routes: BoundRoute[]
}

export function createGroupsModule(deps: GroupsDeps): GroupsModule {
  const service = createGroupsService(deps)
  return { service, routes: groupsRoutes(service) }
}
