import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { actorId, type Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { maskAddress, newLinkToken, setLoginLeft } from '../identity/index.ts'
import type { MailPort, SmsPort } from '../notifications/index.ts'
import words from './end-user-words.json' with { type: 'json' }
import { addLink, type EndUserRow } from './end-users.repo.ts'

/** Hours a link of an invitation is good when nobody says otherwise, and at most. */
export const INVITE_HOURS = 24

export interface Invitation {
  link: string
  hours: number
  expiresAt: Date
  company: string
}

export interface Invitations {
  /** A link that sets the first, or a new, password; those made before are worth nothing. */
  make(scope: TenantScope, ctx: Ctx, user: Pick<EndUserRow, 'id'>, hours?: number): Promise<Invitation>
  /** By mail, else by SMS. @returns where it went, masked; null: he has neither */
  send(
    user: Pick<EndUserView, 'email' | 'phone' | 'locale' | 'username'>,
    invitation: Invitation,
  ): Promise<string | null>
  /** His login is gone for good; his name is free. */
  leave(scope: TenantScope, id: string, at: Date): Promise<void>
}

export interface InvitationsDeps {
  mail: MailPort
  sms: SmsPort
  /** Address of the console, without a slash at the end. */
  publicUrl(): string
  company(tenantId: string): Promise<{ name: string; appId: string }>
  endSessions(scope: TenantScope, loginId: string, reason: string): Promise<void>
}

export function createInvitations(deps: InvitationsDeps): Invitations {
  return {
    async make(scope, ctx, user, hours = INVITE_HOURS) {
      const { token, hash } = newLinkToken()
      const expiresAt = new Date(ctx.now + hours * 3_600_000)
      const id = actorId(ctx.actor)
      const madeBy = ctx.actor.kind === 'apiKey' ? null : id
      await addLink(scope, { id: newId(ctx.now), loginId: user.id, hash, madeBy, expiresAt })
      const { name, appId } = await deps.company(scope.tenantId)
      // Behind the #: what stands there is not sent to servers, so it is in no log and no referrer.
      return { link: `${deps.publicUrl()}/index?reset=1&app=${appId}#${token}`, hours, expiresAt, company: name }
    },
    async send(user, { link, hours, company }) {
      const params = { username: user.username, company, link, hours: String(hours) }
      const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, key: keyof typeof params) => params[key] ?? '')
      const { subject, text } = words[user.locale].invitation
      if (user.email) await deps.mail.send({ to: user.email, subject: fill(subject), text: fill(text) })
      else if (user.phone)
        await deps.sms.send({ phone: user.phone, kind: 'password_link', params, locale: user.locale })
      else return null
      return maskAddress(user.email ?? user.phone!)
    },
    async leave(scope, id, at) {
      await deps.endSessions(scope, id, 'removed')
      await setLoginLeft(scope, id, at)
    },
  }
}
