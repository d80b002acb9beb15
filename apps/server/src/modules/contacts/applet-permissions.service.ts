import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, customerOf } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './applet-permissions.repo.ts'
import * as contacts from './contacts.repo.ts'
import { FIRST, holdRoom } from './contacts.service.ts'

/** A WeChat user of a mini-program who signed in here. */
export interface AppletPerson {
  loginId: string
  appId: string
  openid: string
}

/** Permissions for subscribe messages, which people give in the mini-program, one a message. */
export interface AppletPermissions {
  /** Templates for which the person may be asked now, at most three as WeChat asks. */
  offered(scope: TenantScope, ctx: Ctx, loginId: string): Promise<repo.TemplatePermission[]>
  /**
   * The person allowed one more message of each template; those that the company does not have are left out.
   * @throws AppError contact.too_many
   */
  accept(scope: TenantScope, ctx: Ctx, person: AppletPerson, templateIds: readonly string[]): Promise<void>
  /** The person is bound no longer. */
  forget(scope: TenantScope, loginId: string): Promise<void>
}

/** WeChat asks for so many at once (wx.requestSubscribeMessage). */
const AT_ONCE = 3
/** More templates than a company has. */
const ALL = 500

export function createAppletPermissions(): AppletPermissions {
  /** The contact of the person's permissions or browsers, or a new one. */
  async function contactFor(scope: TenantScope, ctx: Ctx, loginId: string): Promise<string> {
    const known = await repo.contactOf(scope, loginId)
    if (known !== undefined) return known
    const owner = customerOf(ctx.actor)
    if (owner) await holdRoom(scope, owner.id)
    const values = { ...FIRST, name: actorName(ctx.actor), minLevel: 1, locale: ctx.locale }
    const row = await contacts.insert(scope, newId(ctx.now), values, owner?.id ?? null, 'applet')
    await recordAudit(scope, ctx, {
      action: 'contact.create',
      objectType: 'contact',
      objectId: row.id,
      objectName: row.name,
      after: { name: row.name, hasApplet: true },
    })
    return row.id
  }

  return {
    offered: (scope, ctx, loginId) => repo.offered(scope, loginId, ctx.locale, AT_ONCE),

    async accept(scope, ctx, { loginId, appId, openid }, templateIds) {
      const known = new Set((await repo.offered(scope, loginId, ctx.locale, ALL)).map(({ id }) => id))
      const accepted = templateIds.filter(id => known.has(id))
      if (accepted.length === 0) return
      const contactId = await contactFor(scope, ctx, loginId)
      await repo.give(scope, { contactId, loginId, appId, openid, templateIds: accepted, at: new Date(ctx.now) })
      await repo.noteReached(scope, contactId)
    },

    forget: (scope, loginId) => repo.forget(scope, loginId),
  }
}
