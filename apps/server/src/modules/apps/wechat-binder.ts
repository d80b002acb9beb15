import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { ContactsService } from '../contacts/index.ts'
import * as repo from './wechat-followers.repo.ts'

/** Keeps the openid of contacts in step with who is bound to them. */
export interface Binder {
  /** @throws AppError wechat_follower.not_found, contact.not_found */
  bind(ctx: Ctx, accountId: string, followerId: string, contactId: string): Promise<void>
  unbind(ctx: Ctx, accountId: string, followerId: string): Promise<void>
  /** He follows, or does not any more: messages reach him, or do not. */
  setReach(ctx: Ctx, contactId: string, openid: string | null): Promise<void>
}

export function createBinder(deps: { database: Database; contacts: ContactsService; now(): number }): Binder {
  const { database, contacts } = deps

  async function setReach(ctx: Ctx, contactId: string, openid: string | null): Promise<void> {
    const contact = await contacts.get(ctx, contactId).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'contact.not_found') return null
      throw error
    })
    if (!contact || contact.wechatOpenid === openid) return
    try {
      await contacts.update(ctx, contactId, { wechatOpenid: openid, version: contact.version })
    } catch (error) {
      // WeChat was the only way to him: his contact keeps it, and messages to him fail and say why.
      if (!isAppError(error) || error.code !== 'contact.unreachable') throw error
    }
  }

  async function known(ctx: Ctx, accountId: string, followerId: string): Promise<repo.FollowerRow> {
    const row = await database.withTenant(ctx, scope => repo.find(scope, accountId, followerId))
    if (!row) throw new AppError('wechat_follower.not_found')
    return row
  }

  return {
    setReach,

    async bind(ctx, accountId, followerId, contactId) {
      const follower = await known(ctx, accountId, followerId)
      // Also another company's: it is not there.
      await contacts.get(ctx, contactId)
      if (follower.contactId && follower.contactId !== contactId) await setReach(ctx, follower.contactId, null)
      await database.withTenant(ctx, async scope => {
        const other = await repo.ofContact(scope, accountId, contactId)
        const at = new Date(deps.now())
        if (other && other.id !== followerId) await repo.bind(scope, other.id, null, at)
        await repo.bind(scope, followerId, contactId, at)
      })
      if (follower.subscribed) await setReach(ctx, contactId, follower.openid)
    },

    async unbind(ctx, accountId, followerId) {
      const follower = await known(ctx, accountId, followerId)
      if (follower.contactId === null) return
      await database.withTenant(ctx, scope => repo.bind(scope, followerId, null, new Date(deps.now())))
      await setReach(ctx, follower.contactId, null)
    },
  }
}
