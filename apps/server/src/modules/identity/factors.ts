import type { Factor, ProofMethod } from '@thingwright/contracts/security.contract'
import type { SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { BackupCodes } from './backup-codes.ts'
import type { OneTimeCodes } from './one-time-codes.ts'
import type { Passkeys } from './passkeys.ts'
import { verifyPassword } from './passwords.ts'
import { addFailure, clearFailures, failuresSince, type SecurityRow } from './security.repo.ts'
import { readPolicy } from './security-policy.ts'
import type { Totp } from './totp.ts'

/** What a person brings to show that it is he. */
export interface FactorInput {
  method: string
  code?: string | undefined
  password?: string | undefined
  challengeId?: string | undefined
  response?: unknown
}

/** So many wrong tries of a login within a quarter of an hour, over all its tickets and sessions, then it waits. */
const FAILURES = 10
const WINDOW_MS = 15 * 60_000

export interface Factors {
  /** What the second step may be after this way of signing in; empty: none is asked for. */
  secondStep(row: SecurityRow, grant: string): { asked: boolean; methods: ProofMethod[] }
  /** What may confirm that it is still the same person. */
  proofMethods(row: SecurityRow): ProofMethod[]
  /**
   * Whether the input is right. The wrong try is counted, so the transaction has to be committed either way.
   * @throws AppError auth.factor_locked after too many of them
   */
  verify(scope: SystemScope, row: SecurityRow, input: FactorInput, purpose: 'second_factor' | 'proof'): Promise<boolean>
}

export interface FactorDeps {
  totp: Totp
  backup: BackupCodes
  passkeys: Passkeys
  sms: OneTimeCodes
  mail: OneTimeCodes
  now(): number
}

/** Ways of a login that are set up, whether they are turned on or not. */
export function possibleFactors(row: SecurityRow): Exclude<Factor, 'backup'>[] {
  const there: [Exclude<Factor, 'backup'>, boolean][] = [
    ['totp', row.has_totp],
    ['passkey', row.passkeys > 0],
    ['sms', row.phone !== null],
    ['mail', row.email !== null],
  ]
  return there.filter(([, is]) => is).map(([factor]) => factor)
}

/** Whether the company or a role demands a second step of this login. */
export function secondFactorRequired(row: SecurityRow): boolean {
  return row.required_by_role || readPolicy(row.security).secondFactorRequired
}

const VERIFY = sql`select pg_advisory_xact_lock(hashtextextended($1, 7304))`

export function createFactors({ totp, backup, passkeys, sms, mail, now }: FactorDeps): Factors {
  return {
    secondStep(row, grant) {
      const required = secondFactorRequired(row)
      const possible = possibleFactors(row)
      const on = row.second_factors.filter(factor => possible.includes(factor))
      if (on.length === 0 && !required) return { asked: false, methods: [] }
      const methods: ProofMethod[] =
        on.length > 0 ? [...on] : possible.filter(factor => factor !== 'passkey' || on.length === 0)
      // A second code to the same phone would be the same factor twice; the password is another one.
      const others = grant === 'sms_code' ? methods.filter(method => method !== 'sms') : methods
      if (grant === 'sms_code' && row.password_hash) others.push('password')
      if (others.length > 0 && row.backup_left > 0) others.push('backup')
      return { asked: true, methods: others }
    },

    proofMethods(row) {
      const possible = possibleFactors(row)
      const on = row.second_factors.filter(factor => possible.includes(factor))
      if (on.length > 0) return [...on, ...(row.backup_left > 0 ? (['backup'] as const) : [])]
      return [...(row.password_hash ? (['password'] as const) : []), ...possible]
    },

    async verify(scope, row, input, purpose) {
      const at = now()
      const asker = { lane: purpose === 'second_factor' ? 'ticket' : 'signed_in', key: row.id } as const
      // One login's tries go one after the other, also over several tickets: a burst must not pass the count.
      await scope.run(VERIFY, [row.id])
      const failures = await failuresSince(scope, row.id, new Date(at - WINDOW_MS))
      if (failures.n >= FAILURES) {
        const seconds = Math.max(1, Math.ceil(((failures.first?.getTime() ?? at) + WINDOW_MS - at) / 1000))
        throw new AppError('auth.factor_locked', { params: { seconds }, retryAfterSeconds: seconds })
      }
      const right = await check()
      if (right) await clearFailures(scope, row.id)
      else await addFailure(scope, row.id, new Date(at))
      return right

      async function check(): Promise<boolean> {
        const code = input.code ?? ''
        switch (input.method) {
          case 'totp':
            return totp.check(scope, row.id, code)
          case 'backup':
            return backup.use(scope, row.id, code)
          case 'sms':
            return row.phone !== null && sms.consume(scope, row.phone, purpose, code.trim(), asker)
          case 'mail':
            return row.email !== null && mail.consume(scope, row.email.toLowerCase(), purpose, code.trim(), asker)
          case 'passkey':
            return (
              (await passkeys.check(
                scope,
                purpose,
                { challengeId: input.challengeId ?? '', response: input.response },
                row.id,
              )) === row.id
            )
          case 'password':
            return verifyPassword(row.password_hash, input.password ?? '')
          default:
            return false
        }
      }
    },
  }
}
