import { membersContract } from '@thingwright/contracts/members.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { type IdentityService, peerOf, publicClient, type sessionAnswer } from '../identity/index.ts'
import type { InvitationsService } from './invitations.service.ts'
import type { MembersService } from './members.service.ts'
import type { OwnershipService } from './ownership.service.ts'

export interface MembersRouteOptions {
  members: MembersService
  invitations: InvitationsService
  ownership: OwnershipService
  identity: IdentityService
  answer: ReturnType<typeof sessionAnswer>
}

export function membersRoutes(options: MembersRouteOptions): BoundRoute[] {
  const { members, invitations, ownership, identity, answer } = options
  return [
    bind(membersContract.list, (ctx, { query }) => members.list(ctx, query)),
    bind(membersContract.export, (ctx, { query }) => members.export(ctx, query)),
    bind(membersContract.get, (ctx, { params }) => members.get(ctx, params.id)),
    bind(membersContract.invite, (ctx, { body }) => invitations.invite(ctx, body)),
    bind(membersContract.resend, (ctx, { params }) => invitations.resend(ctx, params.id)),
    bind(membersContract.revoke, (ctx, { params }) => invitations.revoke(ctx, params.id)),
    bind(membersContract.update, (ctx, { params, body }) => members.update(ctx, params.id, body)),
    bind(membersContract.freeze, (ctx, { params }) => members.freeze(ctx, params.id)),
    bind(membersContract.unfreeze, (ctx, { params }) => members.unfreeze(ctx, params.id)),
    bind(membersContract.unlock, (ctx, { params }) => members.unlock(ctx, params.id)),
    bind(membersContract.resetPassword, (ctx, { params }) => members.resetPassword(ctx, params.id)),
    bind(membersContract.owned, (ctx, { params }) => ownership.owned(ctx, params.id)),
    bind(membersContract.handOver, (ctx, { params, body }) => ownership.handOver(ctx, params.id, body.to)),
    bind(membersContract.leave, (ctx, { params, body }) => ownership.leave(ctx, params.id, body)),
    bind(membersContract.transferOwnership, (ctx, { params }) => ownership.transferOwnership(ctx, params.id)),
    bind(membersContract.invitation, (_ctx, { body }) => invitations.preview(body.token)),
    bind(membersContract.accept, async (ctx, { body }, http) => {
      const client = publicClient(identity, http)
      return answer(client, await invitations.accept(client, body, peerOf(ctx, http)), http, true)
    }),
  ]
}
