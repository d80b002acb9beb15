import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import { ownedSavedViews } from './saved-views.repo.ts'
import { savedViewsRoutes } from './saved-views.routes.ts'
import { createSavedViewsService, type SavedViewsService } from './saved-views.service.ts'

export interface SavedViewsModule extends ModuleParts {
  service: SavedViewsService
  routes: BoundRoute[]
}

export function createSavedViewsModule(deps: { database: Database }): SavedViewsModule {
  const service = createSavedViewsService(deps)
  return { service, routes: savedViewsRoutes(service), owned: [ownedSavedViews] }
}

export const savedViewsModule = defineModule({ name: 'saved-views', create: createSavedViewsModule })
