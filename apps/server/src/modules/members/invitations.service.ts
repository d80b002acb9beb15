import type { InvitationPreview, MemberView } from '@thingwright/contracts/members.contract'
import { TERMS } from '@thingwright/contracts/terms'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, type Ctx, type Locale, systemContext } from '../../lib/context.ts'
import type { Database, SystemScope, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { GroupsService } from '../groups/index.ts'
import {
  checkUsername,
  hashPassword,
  type IdentityModule,
  insertLogin,
  linkHash,
  loginByEmail,
  loginById,
  loginByPhone,
  loginByUsername,
  maskAddress,
  newLinkToken,
  normaliseEmail,
  normalisePhone,
  type Peer,
  policyIn,
  refuseBadPassword,
  type TokenReplyWithRefresh,
} from '../identity/index.ts'
import type { MailPort, SmsPort } from '../notifications/index.ts'
import { assignRoles, listRoles, mayHandOut } from '../roles/index.ts'
import { type QuotaGuard, recordConsent } from '../tenants/index.ts'
import * as repo from './invitations.repo.ts'
import { toView } from './member-view.ts'
import words from './member-words.json' with { type: 'json' }
import { memberByAddress, memberRow } from './members.repo.ts'

/** Days an invitation's link is good. */
export const INVITATION_DAYS = 7
const RESEND_SECONDS = 60

export interface InvitationsDeps {
  database: Database
  groups: Pick<GroupsService, 'hold'>
  quotas: QuotaGuard
  identity: Pick<IdentityModule, 'sessions' | 'security'>
  mail: MailPort
  sms: SmsPort
  publicUrl(): string
}

export interface Invite {
  address: string
  displayName?: string | undefined
  roleIds: string[]
  groupId?: string | null | undefined
  locale?: Locale | undefined
}

export interface Accept {
  token: string
  username: string
  displayName?: string | undefined
  password: string
  acceptTerms: boolean
}

export interface InvitationsService {
  /** @throws AppError member.already_here, invitation.open, quota.exceeded, role.beyond_own, role.not_found, auth.email_invalid, auth.phone_invalid */
  invite(ctx: Ctx, input: Invite): Promise<MemberView>
  /** @throws AppError invitation.not_found, invitation.too_soon */
  resend(ctx: Ctx, id: string): Promise<MemberView>
  revoke(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** @throws AppError invitation.gone */
  preview(token: string): Promise<InvitationPreview>
  /**
   * Makes the login and its first session.
   * @throws AppError invitation.gone, auth.username_taken, request.validation; what a sign-in asks for before a session
   *   (second step, allowed addresses) when the login was made but may not come in yet
   */
  accept(clientId: string, input: Accept, peer: Peer): Promise<TokenReplyWithRefresh>
}

export function createInvitations(deps: InvitationsDeps): InvitationsService {
  const { database } = deps

  async function deliver(row: repo.InvitationRow, token: string): Promise<void> {
    const text = words[row.locale].invitation
    const params: Record<string, string> = {
      inviter: row.inviterName ?? row.companyName,
      company: row.companyName,
      // Behind the #: what stands there is not sent to servers, so it is in no log and no referrer.
      link: `${deps.publicUrl()}/index?invite=1#${token}`,
      days: String(INVITATION_DAYS),
    }
    const fill = (template: string) => template.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '')
    if (row.channel === 'mail')
      await deps.mail.send({ to: row.address, subject: fill(text.subject), text: fill(text.text) })
    else await deps.sms.send({ phone: row.address, kind: 'invitation', params, locale: row.locale })
  }

  async function viewOf(scope: TenantScope, ctx: Ctx, id: string): Promise<MemberView> {
    return toView(ctx, (await memberRow(scope, id, new Date(ctx.now)))!)
  }

  async function open(scope: TenantScope, id: string): Promise<repo.InvitationRow> {
    const row = await repo.lockInvitation(scope, id)
    if (!row) throw new AppError('invitation.not_found')
    return row
  }

  const expiry = (now: number) => new Date(now + INVITATION_DAYS * 86_400_000)

  return {
    async invite(ctx, input) {
      const channel = input.address.includes('@') ? 'mail' : 'sms'
      const address = readAddress(input.address)
      const { token, hash } = newLinkToken()
      const id = newId(ctx.now)
      const made = await database
        .withTenant(ctx, async scope => {
          const here = await memberByAddress(scope, address)
          if (here) throw new AppError('member.already_here', { params: { username: here } })
          const roles = await listRoles(scope, ctx)
          for (const roleId of input.roleIds) {
            const role = roles.find(r => r.id === roleId)
            if (!role) throw new AppError('role.not_found')
            await mayHandOut(scope, ctx, role, input.groupId ?? null)
          }
          if (input.groupId) await deps.groups.hold(scope, input.groupId, 'device')
          await deps.quotas.hold(scope, 'members')
          await repo.insertInvitation(scope, {
            id,
            channel,
            address,
            displayName: input.displayName?.trim() ?? '',
            roleIds: [...new Set(input.roleIds)],
            groupId: input.groupId ?? null,
            locale: input.locale ?? ctx.locale,
            tokenHash: hash,
            invitedBy: actorId(ctx.actor),
            at: new Date(ctx.now),
            expiresAt: expiry(ctx.now),
          })
          await recordAudit(scope, ctx, {
            action: 'member.invite',
            objectType: 'invitation',
            objectId: id,
            objectName: address,
            after: { address, channel, roles: roles.filter(r => input.roleIds.includes(r.id)).map(r => r.name) },
          })
          return { row: await open(scope, id), view: await viewOf(scope, ctx, id) }
        })
        .catch((error: unknown) => {
          if (isUniqueViolation(error, 'invitations_open_key')) throw new AppError('invitation.open')
          throw error
        })
      await deliver(made.row, token)
      return made.view
    },

    async resend(ctx, id) {
      const { token, hash } = newLinkToken()
      const made = await database.withTenant(ctx, async scope => {
        const row = await open(scope, id)
        const seconds = Math.ceil((row.sentAt.getTime() + RESEND_SECONDS * 1000 - ctx.now) / 1000)
        if (seconds > 0) throw new AppError('invitation.too_soon', { params: { seconds }, retryAfterSeconds: seconds })
        await repo.renewInvitation(scope, id, {
          tokenHash: hash,
          at: new Date(ctx.now),
          expiresAt: expiry(ctx.now),
        })
        await recordAudit(scope, ctx, {
          action: 'member.invite_again',
          objectType: 'invitation',
          objectId: id,
          objectName: row.address,
          after: { sentCount: row.sentCount + 1 },
        })
        return { row, view: await viewOf(scope, ctx, id) }
      })
      await deliver(made.row, token)
      return made.view
    },

    revoke: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await open(scope, id)
        await repo.revokeInvitation(scope, id, new Date(ctx.now))
        await recordAudit(scope, ctx, {
          action: 'member.invite_withdraw',
          objectType: 'invitation',
          objectId: id,
          objectName: row.address,
          before: { address: row.address },
        })
        return { ok: true }
      }),

    preview: token =>
      database.withSystemScope('sign-in', async scope => {
        const row = await repo.invitationByToken(scope, linkHash(token), new Date())
        if (!row) throw new AppError('invitation.gone')
        const roles = await listRoles(scope, { tenantId: row.tenantId })
        return {
          company: row.companyName,
          inviter: row.inviterName,
          channel: row.channel,
          address: maskAddress(row.address),
          displayName: row.displayName,
          roles: roles
            .filter(role => row.roleIds.includes(role.id))
            .map(({ id, key, name, ename }) => ({ id, key, name, ename })),
          expiresAt: row.expiresAt.toISOString(),
          addressTaken: await isTaken(scope, row),
        }
      }),

    async accept(clientId, input, peer) {
      const username = checkUsername(input.username)
      if (!input.acceptTerms)
        throw new AppError('request.validation', {
          params: { count: 1 },
          fields: { acceptTerms: { code: 'auth.terms_required' } },
        })
      const passwordHash = await hashPassword(input.password)
      const at = new Date()
      try {
        const result = await database.withSystemScope('sign-in', async scope => {
          const row = await repo.invitationByToken(scope, linkHash(input.token), at, true)
          if (!row) throw new AppError('invitation.gone')
          const phone = row.channel === 'sms' ? row.address : null
          refuseBadPassword(await policyIn(scope, row.tenantId), { password: input.password, username, phone })
          if (await loginByUsername(scope, username)) throw new AppError('auth.username_taken')
          // A login belongs to one company: an address that has one stays with it, and the new login comes without.
          const taken = await isTaken(scope, row)
          const id = newId()
          await insertLogin(scope, {
            id,
            tenantId: row.tenantId,
            kind: row.companyKind === 'platform' ? 'operator' : 'member',
            username,
            displayName: input.displayName?.trim() || row.displayName || username,
            phone: taken ? null : phone,
            email: taken || row.channel === 'sms' ? null : row.address,
            passwordHash,
            locale: peer.locale,
            groupId: row.groupId,
          })
          await repo.markAccepted(scope, row.id, id, at)
          const known = new Set((await listRoles(scope, { tenantId: row.tenantId })).map(role => role.id))
          // The inviter was held to his own rights when he sent it.
          await assignRoles(
            scope,
            systemContext(row.tenantId, 'invitation', at.getTime()),
            id,
            row.roleIds.filter(role => known.has(role)),
          )
          await recordConsent(scope, { tenantId: row.tenantId, loginId: id, ...TERMS, at, ip: peer.ip })
          const login = (await loginById(scope, id))!
          await recordAudit(scope, systemContext(row.tenantId, 'invitation', at.getTime()), {
            action: 'member.join',
            objectType: 'login',
            objectId: id,
            objectName: username,
            after: { invitation: row.id, username },
          })
          // The company's rules stand between him and his first session too: he is a member, but may have to sign in.
          const held = await deps.identity.security.gate(scope, login, clientId, peer, 'invitation')
          return held ?? deps.identity.sessions.begin(scope, login, clientId, peer, 'invitation')
        })
        if (result instanceof AppError) throw result
        return result
      } catch (error) {
        if (isUniqueViolation(error, 'logins_username_key')) throw new AppError('auth.username_taken')
        throw error
      }
    },
  }
}

/** Mail address or phone, normalised. The problem is said at the form's field. */
function readAddress(text: string): string {
  const mail = text.includes('@')
  try {
    return mail ? normaliseEmail(text) : normalisePhone(text)
  } catch (error) {
    if (error instanceof AppError)
      throw new AppError('request.validation', { params: { count: 1 }, fields: { address: { code: error.code } } })
    throw error
  }
}

async function isTaken(scope: SystemScope, row: repo.InvitationRow): Promise<boolean> {
  const login = row.channel === 'mail' ? await loginByEmail(scope, row.address) : await loginByPhone(scope, row.address)
  return login !== null
}
