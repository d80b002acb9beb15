import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Locale } from '../../lib/context.ts'
import { deriveKey } from '../../lib/crypto-box.ts'
import type { Database, SystemScope } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { SmsPort } from '../notifications/index.ts'
import { lastSmsCode, loginByPhone } from './identity.repo.ts'

/** Seconds between two codes to one number. */
export const RESEND_SECONDS = 60
const VALID_MINUTES = 5
const ATTEMPTS = 5
const PER_DAY = 10

export interface SmsCodes {
  /** Sends a code when the number belongs to a login; says nothing about whether it does. @throws AppError auth.code_too_soon, auth.phone_invalid */
  send(
    phone: string,
    purpose: 'sign_in' | 'register' | 'reset' | 'bind',
    locale: Locale,
  ): Promise<{ retryAfterSeconds: number }>
  /** Uses a code up. False when it is wrong, old, used, or was tried too often. */
  consume(scope: SystemScope, phone: string, purpose: string, code: string): Promise<boolean>
}

export function normalisePhone(phone: string): string {
  const digits = phone.replace(/[\s-]/g, '')
  if (!/^\+?\d{6,15}$/.test(digits))
    throw new AppError('auth.phone_invalid', { fields: { phone: { code: 'auth.phone_invalid' } } })
  return digits.replace(/^\+?86(?=1\d{10}$)/, '')
}

export function createSmsCodes(database: Database, sms: SmsPort, secretKey: string, now: () => number): SmsCodes {
  const key = deriveKey(secretKey, 'sms-code')
  const hashOf = (phone: string, purpose: string, code: string) =>
    createHmac('sha256', key).update(`${phone}:${purpose}:${code}`).digest()

  return {
    async send(rawPhone, purpose, locale) {
      const phone = normalisePhone(rawPhone)
      const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
      const known = await database.withSystemScope('sign-in', async scope => {
        const at = new Date(now())
        // Two requests at once for one number must not both find “nothing sent yet”.
        await scope.query('select pg_advisory_xact_lock(hashtextextended($1, 7303))', [phone])
        const last = await lastSmsCode(scope, phone, purpose)
        const waitMs = last ? last.created_at.getTime() + RESEND_SECONDS * 1000 - at.getTime() : 0
        if (waitMs > 0)
          throw new AppError('auth.code_too_soon', {
            params: { seconds: Math.ceil(waitMs / 1000) },
            retryAfterSeconds: Math.ceil(waitMs / 1000),
          })
        const today = await scope.query<{ n: number }>(
          `select count(*)::int as n from sms_codes where phone = $1 and created_at > $2::timestamptz - interval '24 hours'`,
          [phone, at],
        )
        if ((today.rows[0]?.n ?? 0) >= PER_DAY)
          throw new AppError('auth.code_too_soon', { params: { seconds: 3600 }, retryAfterSeconds: 3600 })
        await scope.query(
          'insert into sms_codes (id, phone, purpose, code_hash, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
          [
            newId(at.getTime()),
            phone,
            purpose,
            hashOf(phone, purpose, code),
            at,
            new Date(at.getTime() + VALID_MINUTES * 60_000),
          ],
        )
        return (await loginByPhone(scope, phone)) !== null
      })
      // A number nobody uses gets the same answer and no message.
      if (known)
        await sms.send({ phone, kind: 'sign_in_code', params: { code, minutes: String(VALID_MINUTES) }, locale })
      return { retryAfterSeconds: RESEND_SECONDS }
    },
    async consume(scope, phone, purpose, code) {
      const row = await lastSmsCode(scope, phone, purpose)
      if (!row || row.used_at || row.attempts >= ATTEMPTS || row.expires_at.getTime() <= now()) return false
      const right = timingSafeEqual(row.code_hash, hashOf(phone, purpose, code))
      await scope.query(
        right
          ? 'update sms_codes set used_at = now() where id = $1'
          : 'update sms_codes set attempts = attempts + 1 where id = $1',
        [row.id],
      )
      return right
    },
  }
}
