import { endUsersContract, userPackagesContract } from '@thingwright/contracts/end-users.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AccountService } from './account.service.ts'
import type { CustomerHealth } from './customer-health.ts'
import type { EndUserExport } from './end-user-export.ts'
import type { EndUsersService } from './end-users.service.ts'
import type { HandoverService } from './handover.service.ts'
import type { OwnBranding } from './own-branding.ts'
import type { PackagesService } from './packages.service.ts'

export interface EndUsersRouteOptions {
  users: EndUsersService
  accounts: AccountService
  handovers: HandoverService
  packages: PackagesService
  health: CustomerHealth
  exportUsers: EndUserExport
  branding: OwnBranding
}

export function endUsersRoutes(options: EndUsersRouteOptions): BoundRoute[] {
  const { users, accounts, handovers, packages, health, exportUsers, branding } = options
  return [
    bind(endUsersContract.ownBranding, ctx => branding.get(ctx)),
    bind(endUsersContract.setOwnBranding, (ctx, { body }) => branding.set(ctx, body)),
    bind(endUsersContract.list, (ctx, { query }) => users.list(ctx, query)),
    bind(endUsersContract.counts, ctx => users.counts(ctx)),
    bind(endUsersContract.export, (ctx, { query }) => exportUsers(ctx, query)),
    bind(endUsersContract.create, (ctx, { body }) => users.create(ctx, body)),
    bind(endUsersContract.get, (ctx, { params }) => users.get(ctx, params.id)),
    bind(endUsersContract.update, (ctx, { params, body }) => users.update(ctx, params.id, body)),
    bind(endUsersContract.invite, (ctx, { params, body }) => accounts.invite(ctx, params.id, body.hours)),
    bind(endUsersContract.freeze, (ctx, { params }) => accounts.freeze(ctx, params.id)),
    bind(endUsersContract.unfreeze, (ctx, { params }) => accounts.unfreeze(ctx, params.id)),
    bind(endUsersContract.sessions, (ctx, { params }) => accounts.sessions(ctx, params.id)),
    bind(endUsersContract.endSessions, (ctx, { params }) => accounts.endSessions(ctx, params.id)),
    bind(endUsersContract.signIns, (ctx, { params, query }) => accounts.signIns(ctx, params.id, query)),
    bind(endUsersContract.enter, (ctx, { params }) => accounts.enter(ctx, params.id)),
    bind(endUsersContract.assign, (ctx, { params, body }) => handovers.assign(ctx, params.id, body)),
    bind(endUsersContract.takeBack, (ctx, { params, body }) => handovers.takeBack(ctx, params.id, body.deviceIds)),
    bind(endUsersContract.transfer, (ctx, { params, body }) => handovers.transfer(ctx, params.id, body)),
    bind(endUsersContract.handovers, (ctx, { params, query }) => handovers.list(ctx, params.id, query)),
    bind(endUsersContract.health, (ctx, { params }) => health(ctx, params.id)),
    bind(endUsersContract.remove, (ctx, { params }) => users.remove(ctx, params.id)),
    bind(userPackagesContract.list, ctx => packages.list(ctx)),
    bind(userPackagesContract.create, (ctx, { body }) => packages.create(ctx, body)),
    bind(userPackagesContract.update, (ctx, { params, body }) => packages.update(ctx, params.id, body)),
    bind(userPackagesContract.remove, (ctx, { params }) => packages.remove(ctx, params.id)),
  ]
}
