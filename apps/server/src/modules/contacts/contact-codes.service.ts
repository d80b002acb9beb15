import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import type { ContactView } from '@thingwright/contracts/contacts.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { MailPort, SmsPort } from '../notifications/index.ts'
import words from './contact-words.json' with { type: 'json' }
import * as repo from './contacts.repo.ts'
import { known, toView } from './contacts.service.ts'

export interface ContactCodes {
  /**
   * Sends six digits to the address or the phone of the contact: valid for ten minutes and five tries.
   * @throws AppError contact.code_too_soon within a minute or when the company sent too many, contact.mail_failed,
   * contact.sms_failed, contact.nothing_to_verify
   */
  send(ctx: Ctx, id: string, to?: repo.CodeTo): Promise<{ ok: boolean }>
  /** @throws AppError contact.code_wrong also when it is too old or was tried too often */
  verify(ctx: Ctx, id: string, code: string, to?: repo.CodeTo): Promise<ContactView>
}

/** Codes of a company, and of one end user, within a day: they are sent to addresses that are not verified yet. */
const CODES_A_DAY = { company: 50, endUser: 10 }

export function createContactCodes(deps: {
  database: Database
  mail: MailPort
  sms: SmsPort
  now(): number
}): ContactCodes {
  const { database, mail, sms } = deps
  return {
    async send(ctx, id, to = 'email') {
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      const contact = await database.withTenant(ctx, async scope => {
        const row = await known(scope, id, true)
        if (row[to] === null) throw new AppError('contact.nothing_to_verify')
        const now = new Date(deps.now())
        if (
          (await repo.codesOfDay(scope, now, row.owner_id)) >=
            (row.owner_id === null ? CODES_A_DAY.company : CODES_A_DAY.endUser) ||
          !(await repo.setCode(scope, id, to, hashOf(id, code), now))
        )
          throw new AppError('contact.code_too_soon', { retryAfterSeconds: to === 'phone' ? 180 : 60 })
        await recordAudit(scope, ctx, {
          action: 'contact.send_code',
          objectType: 'contact',
          objectId: id,
          objectName: row.name,
        })
        return row
      })
      const { subject, text } = words[contact.locale].code
      try {
        if (to === 'phone')
          await sms.send({ phone: contact.phone!, kind: 'bind_code', params: { code }, locale: contact.locale })
        else await mail.send({ to: contact.email!, subject, text: text.replace('{code}', code) })
      } catch (error) {
        throw new AppError(to === 'phone' ? 'contact.sms_failed' : 'contact.mail_failed', {
          params: { reason: (error as Error).message },
          cause: error,
        })
      }
      return { ok: true }
    },
    async verify(ctx, id, code, to = 'email') {
      const now = new Date(deps.now())
      // A wrong code is counted and logged: its transaction has to end well before the caller is refused.
      const row = await database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        const hash = await repo.tryCode(scope, id, to, now)
        const isRight = hash !== undefined && timingSafeEqual(hash, hashOf(id, code))
        await recordAudit(scope, ctx, {
          action: 'contact.verify',
          objectType: 'contact',
          objectId: id,
          objectName: before.name,
          after: { [to]: before[to] },
          result: isRight ? 'ok' : 'refused',
        })
        return isRight ? await repo.setVerified(scope, id, to, now) : null
      })
      if (!row) throw new AppError('contact.code_wrong')
      return toView(row)
    },
  }
}

const hashOf = (id: string, code: string) => createHash('sha256').update(`${id}:${code}`).digest()
