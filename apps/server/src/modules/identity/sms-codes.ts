import type { Locale } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import type { SmsMessage, SmsPort } from '../notifications/index.ts'
import { normalisePhone } from './addresses.ts'
import { type AskedFrom, askerOf } from './code-limits.ts'
import { loginByPhone } from './identity.repo.ts'
import type { KnownBrowsers } from './known-browsers.ts'
import { CODE_MINUTES, type OneTimeCodes, RESEND_SECONDS } from './one-time-codes.ts'

export type CodePurpose = 'sign_in' | 'register' | 'reset' | 'bind'

export interface SmsCodes {
  /**
   * Sends a code; the answer says nothing about whether the number belongs to a login. Who asks to register a number
   * that has a login, or to bind one, is told so by the message itself: only the number's holder reads it.
   * @throws AppError auth.code_too_soon, auth.phone_invalid
   */
  send(phone: string, purpose: CodePurpose, locale: Locale, from: AskedFrom): Promise<{ retryAfterSeconds: number }>
  /** Uses a code up. False when it is wrong, old, used, or was tried too often. */
  consume(scope: SystemScope, phone: string, purpose: CodePurpose, code: string, from: AskedFrom): Promise<boolean>
}

const KIND: Record<CodePurpose, SmsMessage['kind']> = {
  sign_in: 'sign_in_code',
  register: 'register_code',
  reset: 'reset_code',
  bind: 'bind_code',
}

/** Whether a code is of use for a number that has a login, and for one that has none. */
const ASKS_FOR_LOGIN: Record<CodePurpose, boolean> = { sign_in: true, reset: true, register: false, bind: false }

export interface SmsCodesOptions {
  database: Database
  sms: SmsPort
  codes: OneTimeCodes
  browsers: KnownBrowsers
}

export function createSmsCodes({ database, sms, codes, browsers }: SmsCodesOptions): SmsCodes {
  return {
    async send(rawPhone, purpose, locale, from) {
      const phone = normalisePhone(rawPhone)
      const { code, login, useful } = await database.withSystemScope('sign-in', async scope => {
        const login = await loginByPhone(scope, phone)
        const useful = ASKS_FOR_LOGIN[purpose] === (login !== null)
        const asker = askerOf(browsers, from, login)
        return { code: await codes.issue(scope, phone, purpose, asker, useful || login !== null), login, useful }
      })
      const params = { code, minutes: String(CODE_MINUTES) }
      if (useful) await sms.send({ phone, kind: KIND[purpose], params, locale })
      else if (login) await sms.send({ phone, kind: 'phone_has_login', params: { username: login.username }, locale })
      // A number nobody uses gets the same answer and no message.
      return { retryAfterSeconds: RESEND_SECONDS }
    },
    async consume(scope, phone, purpose, code, from) {
      const login = 'browser' in from && from.browser ? await loginByPhone(scope, phone) : null
      return codes.consume(scope, phone, purpose, code, askerOf(browsers, from, login))
    },
  }
}
