import { rolesContract } from '@thingwright/contracts/roles.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { exportRoles } from './role-export.ts'
import type { RolesService } from './roles.service.ts'

export function rolesRoutes(roles: RolesService, database: Database): BoundRoute[] {
  return [
    bind(rolesContract.list, (ctx, { query }) => roles.list(ctx, query)),
    bind(rolesContract.export, (ctx, { query }) => exportRoles(database, roles, ctx, query)),
    bind(rolesContract.menus, ctx => roles.menuChoices(ctx)),
    bind(rolesContract.diff, (ctx, { query }) => roles.diff(ctx, query.left, query.right)),
    bind(rolesContract.explain, (ctx, { query }) => roles.explain(ctx, query)),
    bind(rolesContract.get, (ctx, { params }) => roles.get(ctx, params.id)),
    bind(rolesContract.members, (ctx, { params }) => roles.members(ctx, params.id)),
    bind(rolesContract.preview, (ctx, { params }) => roles.preview(ctx, params.id)),
    bind(rolesContract.create, (ctx, { body }) => roles.create(ctx, body)),
    bind(rolesContract.copy, (ctx, { params, body }) => roles.copy(ctx, params.id, body.name)),
    bind(rolesContract.update, (ctx, { params, body }) => roles.update(ctx, params.id, body)),
    bind(rolesContract.remove, (ctx, { params }) => roles.remove(ctx, params.id)),
  ]
}
