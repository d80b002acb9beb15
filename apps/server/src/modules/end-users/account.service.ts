import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { EndUserView, endUsersContract } from '@thingwright/contracts/end-users.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type IdentityModule, setLoginState } from '../identity/index.ts'
import { toView } from './end-user-view.ts'
import * as repo from './end-users.repo.ts'
import type { EndUsersService } from './end-users.service.ts'
import type { Invitations } from './invitations.ts'

type Contract = typeof endUsersContract

export interface AccountDeps {
  database: Database
  users: EndUsersService
  invitations: Invitations
  identity: Pick<IdentityModule, 'service' | 'customers'>
}

/** How an end user comes in: his link, his sessions, whether he may at all. */
export interface AccountService {
  invite(ctx: Ctx, id: string, hours?: number): Promise<ResponseOf<Contract['invite']>>
  /** @throws AppError end_user.state_invalid */
  freeze(ctx: Ctx, id: string): Promise<EndUserView>
  unfreeze(ctx: Ctx, id: string): Promise<EndUserView>
  sessions(ctx: Ctx, id: string): Promise<ResponseOf<Contract['sessions']>>
  endSessions(ctx: Ctx, id: string): Promise<{ ended: number }>
  signIns(ctx: Ctx, id: string, query: QueryOf<Contract['signIns']>): Promise<ResponseOf<Contract['signIns']>>
  enter(ctx: Ctx, id: string): Promise<ResponseOf<Contract['enter']>>
}

export function createAccounts({ database, users, invitations, identity }: AccountDeps): AccountService {
  function setState(ctx: Ctx, id: string, frozen: boolean): Promise<EndUserView> {
    return database.withTenant(ctx, async scope => {
      const row = await users.changeable(scope, ctx, id)
      if ((row.state === 'frozen') === frozen) throw new AppError('end_user.state_invalid')
      await setLoginState(scope, id, frozen ? 'frozen' : 'active')
      // End users below him cannot sign in either; their sessions go on when he is activated again.
      await identity.service.endMemberSessions(scope, id, frozen ? 'frozen' : 'unfrozen')
      await recordAudit(scope, ctx, {
        action: frozen ? 'end_user.freeze' : 'end_user.unfreeze',
        objectType: 'end_user',
        objectId: id,
        objectName: row.name,
        before: { state: row.state },
        after: { state: frozen ? 'frozen' : 'active' },
      })
      scope.tell('rights.changed', { logins: await repo.idsBelow(scope, id) })
      return toView(ctx, (await repo.find(scope, id))!)
    })
  }

  return {
    async invite(ctx, id, hours) {
      const { row, invitation } = await database.withTenant(ctx, async scope => {
        const row = await users.changeable(scope, ctx, id)
        const invitation = await invitations.make(scope, ctx, row, hours)
        await recordAudit(scope, ctx, {
          action: 'end_user.invite',
          objectType: 'end_user',
          objectId: id,
          objectName: row.name,
          after: { hours: invitation.hours },
        })
        return { row, invitation }
      })
      const sentTo = await invitations.send(row, invitation)
      return { link: invitation.link, sentTo, expiresAt: invitation.expiresAt.toISOString() }
    },
    freeze: (ctx, id) => setState(ctx, id, true),
    unfreeze: (ctx, id) => setState(ctx, id, false),
    async sessions(ctx, id) {
      await users.get(ctx, id)
      return identity.customers.sessions(ctx, id)
    },
    async endSessions(ctx, id) {
      const { name } = await users.get(ctx, id)
      return database.withTenant(ctx, async scope => {
        await users.changeable(scope, ctx, id)
        const ended = (await identity.customers.sessions(ctx, id)).items.length
        await identity.service.endMemberSessions(scope, id, 'ended_by_administrator')
        await recordAudit(scope, ctx, {
          action: 'end_user.end_sessions',
          objectType: 'end_user',
          objectId: id,
          objectName: name,
          after: { ended },
        })
        scope.tell('rights.changed', { logins: [id] })
        return { ended }
      })
    },
    async signIns(ctx, id, query) {
      await users.get(ctx, id)
      return identity.customers.signIns(ctx, id, query)
    },
    async enter(ctx, id) {
      const { name, username } = await users.get(ctx, id)
      const token = await identity.service.endUserToken(ctx, id)
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'end_user.enter',
          objectType: 'end_user',
          objectId: id,
          objectName: name,
          after: { username },
        }),
      )
      return token
    },
  }
}
