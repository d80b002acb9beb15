import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { searchRoutes } from './search.routes.ts'
import { createSearchService, type SearchService } from './search.service.ts'

export interface SearchModule {
  service: SearchService
  routes: BoundRoute[]
}

/** @param sources of all modules, in the order in which their kinds are shown */
export function createSearchModule(sources: () => readonly SearchSource[]): SearchModule {
  const service = createSearchService(sources)
  return { service, routes: searchRoutes(service) }
}
