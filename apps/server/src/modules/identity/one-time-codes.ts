import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import { type Asker, type CodeLimits, createCodeLimits } from './code-limits.ts'

export { RESEND_SECONDS } from './code-limits.ts'
/** Minutes a code is good for. */
export const CODE_MINUTES = 5
/** Wrong tries of the one who asked for a code, and of all others together: these do not use up his. */
const ATTEMPTS = 5

export interface OneTimeCodes {
  /**
   * A new code for an address and a purpose; those the same one asked for before are good no more.
   * @param sent false when nobody gets it, and only the answer is the same
   * @throws AppError auth.code_too_soon, see code-limits.ts
   */
  issue(scope: SystemScope, address: string, purpose: string, asker: Asker, sent?: boolean): Promise<string>
  /**
   * Uses a code up. False when it is wrong, old, used, or was tried too often. The wrong try is counted: do not roll back.
   * @param asker who tries: whoever asked for a code has his own tries, all others share theirs
   */
  consume(scope: SystemScope, address: string, purpose: string, code: string, asker: Asker): Promise<boolean>
}

interface CodeRow {
  id: string
  code_hash: Buffer
  attempts: number
  foreign_attempts: number
  lane: string
  asker: string
}

const CONSUME = sql`select pg_advisory_xact_lock(hashtextextended($1, 7306))`

/** What is said to one of the two tables. */
const statementsOf = (table: SqlPart, address: SqlPart) => ({
  // The newest code of each who asked, as far as they are still good.
  open: sql<CodeRow>`select c.id, c.code_hash, c.attempts, c.foreign_attempts, c.lane, c.asker from (
      select distinct on (lane, asker) id, code_hash, attempts, foreign_attempts, lane, asker, expires_at, used_at
      from ${table} where ${address} = $1 and purpose = $2 and created_at > $3
      order by lane, asker, created_at desc, id desc) c
    where c.used_at is null and c.expires_at > $4`,
  insert: sql`insert into ${table} (id, ${address}, purpose, code_hash, created_at, expires_at, lane, asker)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
  use: sql`update ${table} set used_at = $3 where ${address} = $1 and purpose = $2 and used_at is null`,
  countWrong: sql`update ${table} set attempts = attempts + (id = any ($1::uuid[]))::int,
      foreign_attempts = foreign_attempts + (id = any ($2::uuid[]))::int
    where id = any ($1::uuid[]) or id = any ($2::uuid[])`,
})

const STATEMENTS = {
  sms: statementsOf(part`sms_codes`, part`phone`),
  mail: statementsOf(part`mail_codes`, part`email`),
}

/** Codes of six digits sent to phones (table sms_codes) or to mail addresses (mail_codes). */
export function createOneTimeCodes(
  kind: 'sms' | 'mail',
  secretKey: string,
  now: () => number,
  limits: CodeLimits = createCodeLimits(secretKey, now),
): OneTimeCodes {
  const statements = STATEMENTS[kind]
  const key = deriveKey(secretKey, `${kind}-code`)
  const hashOf = (address: string, purpose: string, code: string) =>
    createHmac('sha256', key).update(`${address}:${purpose}:${code}`).digest()

  async function open(scope: SystemScope, address: string, purpose: string): Promise<CodeRow[]> {
    const since = new Date(now() - CODE_MINUTES * 60_000)
    return (await scope.run(statements.open, [address, purpose, since, new Date(now())])).rows
  }

  return {
    async issue(scope, address, purpose, asker, sent = true) {
      const at = now()
      await limits.take(scope, { channel: kind, purpose, asker, address, sent })
      const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
      await scope.run(statements.insert, [
        newId(at),
        address,
        purpose,
        hashOf(address, purpose, code),
        new Date(at),
        new Date(at + CODE_MINUTES * 60_000),
        asker.lane,
        asker.key,
      ])
      return code
    },
    async consume(scope, address, purpose, code, asker) {
      // Tries follow one another: many at once must not pass the count.
      await scope.run(CONSUME, [address])
      const hash = hashOf(address, purpose, code)
      const isOwn = (row: CodeRow) => row.lane === asker.lane && row.asker === asker.key
      const rows = (await open(scope, address, purpose)).filter(
        row => (isOwn(row) ? row.attempts : row.foreign_attempts) < ATTEMPTS,
      )
      const right = rows.filter(row => timingSafeEqual(row.code_hash, hash)).length > 0
      // One that was right ends all of the purpose.
      if (right) await scope.run(statements.use, [address, purpose, new Date(now())])
      else
        await scope.run(statements.countWrong, [
          rows.filter(isOwn).map(({ id }) => id),
          rows.filter(row => !isOwn(row)).map(({ id }) => id),
        ])
      return right
    },
  }
}
