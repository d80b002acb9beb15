import type { MeView } from '@thingwright/contracts/identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { personId } from '../../lib/person.ts'
import type { SmsPort } from '../notifications/index.ts'
import { maskAddress, normaliseEmail, normalisePhone } from './addresses.ts'
import type { Asker } from './code-limits.ts'
import { type LoginRow, loginByEmail, loginById, loginByPhone, storeAddress } from './identity.repo.ts'
import type { IdentityMails } from './mails.ts'
import { CODE_MINUTES, type OneTimeCodes, RESEND_SECONDS } from './one-time-codes.ts'
import type { SmsCodes } from './sms-codes.ts'

export interface OwnAddressesOptions {
  database: Database
  smsCodes: SmsCodes
  mailCodes: OneTimeCodes
  mails: IdentityMails
  sms: Pick<SmsPort, 'send'>
  logger: Logger
  me(ctx: Ctx): Promise<MeView>
  /** @throws AppError auth.proof_required */
  requireFreshProof(ctx: Ctx): Promise<void>
  forget(loginId: string): void
}

/** Phone and mail address of the caller: bound only with a code sent there, and after a fresh proof. */
export interface OwnAddresses {
  /** @throws AppError auth.proof_required, auth.code_wrong (as 422), auth.phone_taken */
  changePhone(ctx: Ctx, input: { phone: string; code: string }): Promise<MeView>
  /** @throws AppError auth.code_too_soon, auth.email_invalid */
  sendEmailCode(ctx: Ctx, email: string): Promise<{ ok: boolean; retryAfterSeconds: number }>
  /** @throws AppError auth.proof_required, auth.code_wrong (as 422), auth.email_taken */
  changeEmail(ctx: Ctx, input: { email: string; code: string }): Promise<MeView>
}

export function createOwnAddresses(options: OwnAddressesOptions): OwnAddresses {
  const { database, mails } = options

  async function own(scope: SystemScope, ctx: Ctx): Promise<LoginRow> {
    const login = ctx.actor.kind === 'system' ? null : await loginById(scope, personId(ctx.actor))
    if (!login) throw new AppError('auth.required')
    return login
  }

  const signedIn = (login: { id: string }): Asker => ({ lane: 'signed_in', key: login.id })

  async function change(
    ctx: Ctx,
    what: {
      field: 'phone' | 'email'
      address: string
      consume(scope: SystemScope, loginId: string): Promise<boolean>
      holder(scope: SystemScope): Promise<LoginRow | null>
    },
  ): Promise<MeView> {
    // Whoever found an open browser must not get the mails and texts that set a new password.
    await options.requireFreshProof(ctx)
    const before = await database.withSystemScope('sign-in', scope => own(scope, ctx))
    const taken = () => new AppError(what.field === 'phone' ? 'auth.phone_taken' : 'auth.email_taken')
    const changed = await database
      .withSystemScope('sign-in', async scope => {
        if (!(await what.consume(scope, before.id))) return false
        const login = await own(scope, ctx)
        // Of end users the index decides: addresses are theirs in their company only.
        const holder = login.kind === 'end_user' ? null : await what.holder(scope)
        if (holder && holder.id !== login.id) throw taken()
        await storeAddress(scope, login.id, what.field, what.address)
        await recordAudit(scope, ctx, {
          action: `profile.${what.field}`,
          objectType: 'login',
          objectId: login.id,
          objectName: login.username,
          before: { [what.field]: login[what.field] },
          after: { [what.field]: what.address },
        })
        return true
      })
      .catch((error: unknown) => {
        const keys = [`logins_${what.field}_key`, `logins_end_user_${what.field}_key`]
        if (keys.some(key => isUniqueViolation(error, key))) throw taken()
        throw error
      })
    // 401 would read as “the session is over”.
    if (!changed) throw new AppError('auth.code_wrong', { status: 422, fields: { code: { code: 'auth.code_wrong' } } })
    options.forget(before.id)
    const facts = { username: before.username, address: maskAddress(what.address) }
    // The old one is told, and the other one too: whoever took the account over has one of them at most.
    if (before.email) mails.tell('address_changed', before.email, before.locale, facts)
    if (before.phone && before.phone !== what.address)
      options.sms
        .send({ phone: before.phone, kind: 'address_changed', params: facts, locale: before.locale })
        .catch((error: unknown) => options.logger.warn({ err: error }, 'notice of a changed address was not sent'))
    return options.me(ctx)
  }

  return {
    changePhone(ctx, input) {
      const phone = normalisePhone(input.phone)
      return change(ctx, {
        field: 'phone',
        address: phone,
        consume: (scope, loginId) => options.smsCodes.consume(scope, phone, 'bind', input.code, { loginId }),
        holder: scope => loginByPhone(scope, phone),
      })
    },
    async sendEmailCode(ctx, rawEmail) {
      const email = normaliseEmail(rawEmail)
      const code = await database.withSystemScope('sign-in', async scope => {
        return options.mailCodes.issue(scope, email, 'bind', signedIn(await own(scope, ctx)))
      })
      await mails.send('email_code', email, ctx.locale, { code, minutes: String(CODE_MINUTES) })
      return { ok: true, retryAfterSeconds: RESEND_SECONDS }
    },
    changeEmail(ctx, input) {
      const email = normaliseEmail(input.email)
      return change(ctx, {
        field: 'email',
        address: email,
        consume: (scope, id) => options.mailCodes.consume(scope, email, 'bind', input.code, signedIn({ id })),
        holder: scope => loginByEmail(scope, email),
      })
    },
  }
}
