import { searchContract } from '@thingwright/contracts/search.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { SearchService } from './search.service.ts'

export function searchRoutes(search: SearchService): BoundRoute[] {
  return [bind(searchContract.find, (ctx, { query }) => search.find(ctx, query))]
}
