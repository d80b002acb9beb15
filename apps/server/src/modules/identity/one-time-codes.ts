import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../lib/crypto-box.ts'
import type { SystemScope } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'

/** Seconds between two codes to one address. */
export const RESEND_SECONDS = 60
/** Minutes a code is good for. */
export const CODE_MINUTES = 5
const ATTEMPTS = 5
const PER_DAY = 10
const DAY_MS = 86_400_000

export interface OneTimeCodes {
  /**
   * A new code for an address and a purpose; those before it are good no more.
   * @throws AppError auth.code_too_soon within 60 s, and after 10 in a day
   */
  issue(scope: SystemScope, address: string, purpose: string): Promise<string>
  /** Uses a code up. False when it is wrong, old, used, or was tried too often. The wrong try is counted: do not roll back. */
  consume(scope: SystemScope, address: string, purpose: string, code: string): Promise<boolean>
}

interface CodeRow {
  id: string
  code_hash: Buffer
  attempts: number
  created_at: Date
  expires_at: Date
  used_at: Date | null
}

/** Codes of six digits sent to phones (table sms_codes) or to mail addresses (mail_codes). */
export function createOneTimeCodes(kind: 'sms' | 'mail', secretKey: string, now: () => number): OneTimeCodes {
  const { table, column } =
    kind === 'sms' ? { table: 'sms_codes', column: 'phone' } : { table: 'mail_codes', column: 'email' }
  const key = deriveKey(secretKey, `${kind}-code`)
  const hashOf = (address: string, purpose: string, code: string) =>
    createHmac('sha256', key).update(`${address}:${purpose}:${code}`).digest()

  async function last(scope: SystemScope, address: string, purpose: string): Promise<CodeRow | undefined> {
    return (
      await scope.query<CodeRow>(
        `select id, code_hash, attempts, created_at, expires_at, used_at from ${table} where ${column} = $1 and purpose = $2 order by created_at desc limit 1 for update`,
        [address, purpose],
      )
    ).rows[0]
  }

  return {
    async issue(scope, address, purpose) {
      const at = now()
      // Two requests at once for one address must not both find “nothing sent yet”.
      await scope.query('select pg_advisory_xact_lock(hashtextextended($1, 7303))', [address])
      // Asking under another purpose does not shorten the wait: what reaches the person is the same stream of messages.
      const { rows } = await scope.query<{ latest: Date | null; n: number; oldest: Date | null }>(
        `select max(created_at) as latest, count(*)::int as n, min(created_at) as oldest from ${table} where ${column} = $1 and created_at > $2`,
        [address, new Date(at - DAY_MS)],
      )
      const { latest, n, oldest } = rows[0]!
      const wait = Math.max(
        latest ? latest.getTime() + RESEND_SECONDS * 1000 - at : 0,
        n >= PER_DAY && oldest ? oldest.getTime() + DAY_MS - at : 0,
      )
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1000)
        throw new AppError('auth.code_too_soon', { params: { seconds }, retryAfterSeconds: seconds })
      }
      const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
      await scope.query(
        `insert into ${table} (id, ${column}, purpose, code_hash, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)`,
        [
          newId(at),
          address,
          purpose,
          hashOf(address, purpose, code),
          new Date(at),
          new Date(at + CODE_MINUTES * 60_000),
        ],
      )
      return code
    },
    async consume(scope, address, purpose, code) {
      const row = await last(scope, address, purpose)
      if (!row || row.used_at || row.attempts >= ATTEMPTS || row.expires_at.getTime() <= now()) return false
      const right = timingSafeEqual(row.code_hash, hashOf(address, purpose, code))
      await scope.query(
        right
          ? `update ${table} set used_at = now() where id = $1`
          : `update ${table} set attempts = attempts + 1 where id = $1`,
        [row.id],
      )
      return right
    },
  }
}
