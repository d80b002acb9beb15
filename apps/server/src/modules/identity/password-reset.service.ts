import type { ResetPasswordRequest } from '@thingwright/contracts/identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import { actorId } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { SmsPort } from '../notifications/index.ts'
import { maskAddress, normaliseEmail, normalisePhone } from './addresses.ts'
import { type AskedFrom, askerOf, type CodeLimits } from './code-limits.ts'
import { type LoginRow, loginByEmail, loginById, loginByPhone } from './identity.repo.ts'
import type { KnownBrowsers } from './known-browsers.ts'
import type { IdentityMails } from './mails.ts'
import { linkHash, newLinkToken } from './one-time-links.ts'
import * as repo from './password-reset.repo.ts'
import { refuseBadPassword } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { storePassword } from './security.repo.ts'
import { policyIn } from './security-policy.ts'
import { contextOf, type Peer } from './session-start.ts'
import type { SignInGuard } from './sign-in-guard.ts'
import type { SmsCodes } from './sms-codes.ts'

/** Hours a link for a new password is good. */
export const LINK_HOURS = 2
const RESEND_SECONDS = 60
const PER_DAY = 10

export interface PasswordResetOptions {
  database: Database
  smsCodes: SmsCodes
  limits: CodeLimits
  browsers: KnownBrowsers
  sms: SmsPort
  mails: IdentityMails
  guard: SignInGuard
  endSessions(scope: SystemScope, loginId: string, reason: string): Promise<void>
  /** Address of the console, without a slash at the end. */
  publicUrl(): string
  now(): number
}

export interface PasswordReset {
  /** Mails a link, when the address belongs to a login that may sign in. Says nothing about whether it does. */
  askByMail(email: string, from: AskedFrom): Promise<void>
  /**
   * Sets a new password, proven by a code on the phone or by a link, and ends every session.
   * @throws AppError auth.proof_missing, auth.code_wrong, auth.link_invalid, request.validation
   */
  reset(input: ResetPasswordRequest, peer: Peer): Promise<{ ok: boolean }>
  /**
   * An administrator's link for a member of his company, by mail, else by SMS.
   * @returns where it went, masked. @throws AppError member.not_found, member.state_invalid, member.no_address, auth.code_too_soon
   */
  sendByAdmin(ctx: Ctx, loginId: string): Promise<{ sentTo: string }>
}

export function createPasswordReset(options: PasswordResetOptions): PasswordReset {
  const { database, mails, now } = options

  async function makeLink(scope: SystemScope, login: LoginRow, madeBy: string | null): Promise<string> {
    const { token, hash } = newLinkToken()
    await repo.insertPasswordLink(scope, {
      id: newId(now()),
      tenantId: login.tenant_id,
      loginId: login.id,
      tokenHash: hash,
      madeBy,
      at: new Date(now()),
      expiresAt: new Date(now() + LINK_HOURS * 3_600_000),
    })
    // Behind the #: what stands there is not sent to servers, so it is in no log and no referrer.
    return `${options.publicUrl()}/index?reset=1#${token}`
  }

  /** Seconds until an administrator may have another link made, 0 when now: those that strangers ask for are counted apart. */
  async function wait(scope: SystemScope, loginId: string): Promise<number> {
    const { latest, n } = await repo.recentPasswordLinks(scope, loginId, new Date(now() - 86_400_000))
    if (n >= PER_DAY) return 3600
    return latest ? Math.max(0, Math.ceil((latest.getTime() + RESEND_SECONDS * 1000 - now()) / 1000)) : 0
  }

  async function setPassword(scope: SystemScope, login: LoginRow, hash: string, ctx: Ctx, how: string): Promise<void> {
    await storePassword(scope, {
      loginId: login.id,
      hash,
      at: new Date(now()),
    })
    await repo.endPasswordLinks(scope, login.id, new Date(now()))
    await options.endSessions(scope, login.id, 'password_reset')
    await options.guard.unlock(scope, login.id)
    await recordAudit(scope, ctx, {
      action: 'login.reset_password',
      objectType: 'login',
      objectId: login.id,
      objectName: login.username,
      after: { how },
    })
  }

  /** The login a link or a code stands for, without using it up yet. */
  async function whose(scope: SystemScope, input: ResetPasswordRequest, peer: Peer): Promise<LoginRow | null> {
    if (input.token) {
      const id = await repo.usePasswordLink(scope, linkHash(input.token), new Date(now()))
      return id ? loginById(scope, id) : null
    }
    const phone = normalisePhone(input.phone!)
    return (await options.smsCodes.consume(scope, phone, 'reset', input.code!, peer))
      ? loginByPhone(scope, phone, peer)
      : null
  }

  return {
    async askByMail(rawEmail, from) {
      const email = normaliseEmail(rawEmail)
      const found = await database.withSystemScope('sign-in', async scope => {
        const login = await loginByEmail(scope, email)
        const active = login?.state === 'active' ? login : null
        const asker = askerOf(options.browsers, from, login)
        await options.limits.take(scope, {
          channel: 'link',
          purpose: 'link',
          asker,
          address: email,
          sent: active !== null,
        })
        return active && { login: active, link: await makeLink(scope, active, null) }
      })
      // Not waited for: the time an answer takes would tell whether the address is known.
      if (found)
        mails.tell('password_link', email, found.login.locale, {
          username: found.login.username,
          link: found.link,
          hours: String(LINK_HOURS),
        })
    },

    async reset(input, peer) {
      if (!input.token && !(input.phone && input.code)) throw new AppError('auth.proof_missing')
      const hash = await hashPassword(input.password)
      const done = await database.withSystemScope('sign-in', async scope => {
        const login = await whose(scope, input, peer)
        if (login?.state !== 'active') return null
        // Thrown here, so that code or link is still good for a better password.
        refuseBadPassword(await policyIn(scope, login.tenant_id), {
          password: input.password,
          username: login.username,
          phone: login.phone,
        })
        await setPassword(scope, login, hash, contextOf(login, peer), input.token ? 'link' : 'sms_code')
        return login
      })
      if (!done) throw new AppError(input.token ? 'auth.link_invalid' : 'auth.code_wrong')
      return { ok: true }
    },

    async sendByAdmin(ctx, loginId) {
      const { login, link } = await database.withSystemScope('sign-in', async scope => {
        const found = await loginById(scope, loginId)
        if (!found || found.tenant_id !== ctx.tenantId) throw new AppError('member.not_found')
        if (found.state !== 'active') throw new AppError('member.state_invalid')
        if (!found.email && !found.phone) throw new AppError('member.no_address')
        const seconds = await wait(scope, loginId)
        if (seconds > 0) throw new AppError('auth.code_too_soon', { params: { seconds }, retryAfterSeconds: seconds })
        const made = await makeLink(scope, found, actorId(ctx.actor))
        await recordAudit(scope, ctx, {
          action: 'member.reset_password',
          objectType: 'login',
          objectId: loginId,
          objectName: found.username,
          after: { sentTo: maskAddress(found.email ?? found.phone!) },
        })
        return { login: found, link: made }
      })
      const params = { username: login.username, link, hours: String(LINK_HOURS) }
      if (login.email) await mails.send('password_link_by_admin', login.email, login.locale, params)
      else await options.sms.send({ phone: login.phone!, kind: 'password_link', params, locale: login.locale })
      return { sentTo: maskAddress(login.email ?? login.phone!) }
    },
  }
}
