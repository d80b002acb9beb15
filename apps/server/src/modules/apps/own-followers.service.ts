import type { OwnFollower } from '@thingwright/contracts/own-followers.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { ContactsService } from '../contacts/index.ts'
import { createBinder } from './wechat-binder.ts'
import * as repo from './wechat-followers.repo.ts'

/** Followers of the official account who are bound to contacts of the caller: end users see no others. */
export interface OwnFollowers {
  list(ctx: Ctx): Promise<{ items: OwnFollower[] }>
  /** @throws AppError wechat_follower.not_found, contact.not_found */
  bind(ctx: Ctx, id: string, contactId: string): Promise<OwnFollower>
  /** @throws AppError wechat_follower.not_found */
  unbind(ctx: Ctx, id: string): Promise<OwnFollower>
}

const MOST = 100

export function createOwnFollowers(deps: {
  database: Database
  contacts: ContactsService
  now(): number
}): OwnFollowers {
  const { database, contacts } = deps
  const binder = createBinder(deps)
  // The list of followers is the company's; what the caller may do with one is checked by its contact.
  const asCompany = (ctx: Ctx) => systemContext(ctx.tenantId, 'wechat', deps.now())

  const read = (ctx: Ctx, id: string) =>
    database.withTenant(asCompany(ctx), async scope => {
      const [row] = await repo.ofContacts(scope, { followerId: id })
      return row
    })

  /** A follower whose contact the caller may see. */
  async function known(ctx: Ctx, id: string): Promise<repo.OwnedFollower> {
    const row = await read(ctx, id)
    if (!row?.contactId) throw new AppError('wechat_follower.not_found')
    await contacts.get(ctx, row.contactId).catch((error: unknown) => {
      throw isAppError(error) ? new AppError('wechat_follower.not_found', { cause: error }) : error
    })
    return row
  }

  async function noted(ctx: Ctx, verb: 'rebind' | 'unbind', before: repo.OwnedFollower): Promise<OwnFollower> {
    const row = (await read(ctx, before.id)) ?? before
    await database.withTenant(ctx, scope =>
      recordAudit(scope, ctx, {
        action: `wechat_follower.${verb}`,
        objectType: 'wechat_follower',
        objectId: row.id,
        objectName: row.nickname || row.openid,
        before: { contact: before.contactName },
        after: { contact: row.contactName },
      }),
    )
    return toView(row)
  }

  return {
    async list(ctx) {
      const { items } = await contacts.list(ctx, { limit: MOST })
      const contactIds = items.map(({ id }) => id)
      const rows = await database.withTenant(asCompany(ctx), scope => repo.ofContacts(scope, { contactIds }))
      return { items: rows.map(toView) }
    },

    async bind(ctx, id, contactId) {
      const before = await known(ctx, id)
      await contacts.get(ctx, contactId)
      await binder.bind(asCompany(ctx), before.accountId, id, contactId)
      return noted(ctx, 'rebind', before)
    },

    async unbind(ctx, id) {
      const before = await known(ctx, id)
      await binder.unbind(asCompany(ctx), before.accountId, id)
      return noted(ctx, 'unbind', before)
    },
  }
}

const toView = (row: repo.OwnedFollower): OwnFollower => ({
  id: row.id,
  nickname: row.nickname,
  openid: row.openid,
  subscribed: row.subscribed,
  contact: row.contactId === null ? null : { id: row.contactId, name: row.contactName ?? '' },
  boundAt: row.boundAt?.toISOString() ?? null,
})
