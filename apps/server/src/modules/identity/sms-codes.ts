import type { Locale } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database.ts'
import type { SmsMessage, SmsPort } from '../notifications/index.ts'
import { normalisePhone } from './addresses.ts'
import { loginByPhone } from './identity.repo.ts'
import { CODE_MINUTES, createOneTimeCodes, RESEND_SECONDS } from './one-time-codes.ts'

export type CodePurpose = 'sign_in' | 'register' | 'reset' | 'bind'

export interface SmsCodes {
  /**
   * Sends a code; the answer says nothing about whether the number belongs to a login. Who asks to register a number
   * that has a login, or to bind one, is told so by the message itself: only the number's holder reads it.
   * @throws AppError auth.code_too_soon, auth.phone_invalid
   */
  send(phone: string, purpose: CodePurpose, locale: Locale): Promise<{ retryAfterSeconds: number }>
  /** Uses a code up. False when it is wrong, old, used, or was tried too often. */
  consume(scope: SystemScope, phone: string, purpose: string, code: string): Promise<boolean>
}

const KIND: Record<CodePurpose, SmsMessage['kind']> = {
  sign_in: 'sign_in_code',
  register: 'register_code',
  reset: 'reset_code',
  bind: 'bind_code',
}

/** Whether a code is of use for a number that has a login, and for one that has none. */
const ASKS_FOR_LOGIN: Record<CodePurpose, boolean> = { sign_in: true, reset: true, register: false, bind: false }

export function createSmsCodes(database: Database, sms: SmsPort, secretKey: string, now: () => number): SmsCodes {
  const codes = createOneTimeCodes('sms', secretKey, now)
  return {
    async send(rawPhone, purpose, locale) {
      const phone = normalisePhone(rawPhone)
      const { code, login } = await database.withSystemScope('sign-in', async scope => ({
        code: await codes.issue(scope, phone, purpose),
        login: await loginByPhone(scope, phone),
      }))
      const params = { code, minutes: String(CODE_MINUTES) }
      if (ASKS_FOR_LOGIN[purpose] === (login !== null)) await sms.send({ phone, kind: KIND[purpose], params, locale })
      else if (login) await sms.send({ phone, kind: 'phone_has_login', params: { username: login.username }, locale })
      // A number nobody uses gets the same answer and no message.
      return { retryAfterSeconds: RESEND_SECONDS }
    },
    consume: codes.consume,
  }
}
