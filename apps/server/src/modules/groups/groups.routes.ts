import { groupsContract } from '@thingwright/contracts/groups.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { GroupsService } from './groups.service.ts'

export function groupsRoutes(groups: GroupsService): BoundRoute[] {
  return [
    bind(groupsContract.list, (ctx, { query }) => groups.list(ctx, query)),
    bind(groupsContract.create, (ctx, { body }) => groups.create(ctx, body)),
    bind(groupsContract.update, (ctx, { params, body }) => groups.update(ctx, params.id, body)),
    bind(groupsContract.remove, (ctx, { params }) => groups.remove(ctx, params.id)),
  ]
}
