import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { ModuleDefinition } from '../../lib/module.ts'
import { savedViewsRoutes } from './saved-views.routes.ts'
import { createSavedViewsService, type SavedViewsService } from './saved-views.service.ts'

export interface SavedViewsModule {
  service: SavedViewsService
  routes: BoundRoute[]
}

export function createSavedViewsModule(deps: { database: Database }): SavedViewsModule {
  const service = createSavedViewsService(deps)
  return { service, routes: savedViewsRoutes(service) }
}

export const savedViewsModule: ModuleDefinition<{ database: Database }> = {
  name: 'saved-views',
  create: createSavedViewsModule,
}
