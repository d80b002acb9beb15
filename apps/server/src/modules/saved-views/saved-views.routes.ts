import { savedViewsContract } from '@thingwright/contracts/saved-views.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { SavedViewsService } from './saved-views.service.ts'

export function savedViewsRoutes(views: SavedViewsService): BoundRoute[] {
  return [
    bind(savedViewsContract.list, (ctx, { query }) => views.list(ctx, query)),
    bind(savedViewsContract.create, (ctx, { body }) => views.create(ctx, body)),
    bind(savedViewsContract.update, (ctx, { params, body }) => views.update(ctx, params.id, body)),
    bind(savedViewsContract.remove, (ctx, { params }) => views.remove(ctx, params.id)),
    bind(savedViewsContract.setDefault, (ctx, { body }) => views.setDefault(ctx, body)),
  ]
}
