import type { ProofMethod } from '@thingwright/contracts/security.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { personId } from '../../lib/person.ts'
import type { FactorInput, Factors } from './factors.ts'
import type { Ceremony, Passkeys, RelyingParty } from './passkeys.ts'
import { provenAt, type SecurityRow, securityRow, storeProof } from './security.repo.ts'

/** Minutes for which a session counts as confirmed. */
export const PROOF_MINUTES = 10

export interface Proofs {
  /**
   * Lets only those on who confirmed within the last ten minutes, in this very session, that it is they. Call it first
   * in whatever is dangerous: handing over ownership, exporting the company, closing it, changing one's own factors.
   * @throws AppError auth.proof_required with the ways to confirm; the console asks and repeats the call
   */
  requireFreshProof(ctx: Ctx): Promise<void>
  options(
    ctx: Ctx,
    rp: () => RelyingParty,
  ): Promise<{ methods: ProofMethod[]; provenUntil: string | null; passkey: Ceremony | null }>
  /** @throws AppError security.code_wrong, security.password_wrong, auth.factor_locked */
  prove(ctx: Ctx, input: FactorInput & { method: ProofMethod }): Promise<{ provenUntil: string }>
}

export function createProofs(deps: {
  database: Database
  factors: Factors
  passkeys: Passkeys
  now(): number
}): Proofs {
  const { database, factors, now } = deps
  const untilOf = (at: Date) => at.getTime() + PROOF_MINUTES * 60_000

  return {
    async requireFreshProof(ctx) {
      const { sessionId } = ctx
      const loginId = loginIdOf(ctx)
      const methods = await database.withSystemScope('sign-in', async scope => {
        const at = sessionId ? await provenAt(scope, sessionId) : null
        if (at && untilOf(at) > now()) return null
        return factors.proofMethods(await personOf(scope, loginId))
      })
      if (methods) throw new AppError('auth.proof_required', { params: { methods } })
    },

    options: (ctx, rp) =>
      database.withSystemScope('sign-in', async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        const at = ctx.sessionId ? await provenAt(scope, ctx.sessionId) : null
        let methods = factors.proofMethods(row)
        let passkey: Ceremony | null = null
        if (methods.includes('passkey')) {
          try {
            passkey = await deps.passkeys.begin(scope, 'proof', row.id, rp())
          } catch (error) {
            if (!(error instanceof AppError)) throw error
            methods = methods.filter(method => method !== 'passkey')
          }
        }
        return {
          methods,
          provenUntil: at && untilOf(at) > now() ? new Date(untilOf(at)).toISOString() : null,
          passkey,
        }
      }),

    async prove(ctx, input) {
      const { sessionId } = ctx
      if (!sessionId) throw new AppError('auth.required')
      const at = new Date(now())
      // A wrong try is counted and stays counted: it is thrown after the commit.
      const wrong = await database.withSystemScope('sign-in', async (scope): Promise<AppError | null> => {
        const row = await personOf(scope, loginIdOf(ctx))
        if (!factors.proofMethods(row).includes(input.method)) return new AppError('security.factor_unavailable')
        const right = await factors.verify(scope, row, input, 'proof')
        if (right) await storeProof(scope, sessionId, input.method, at)
        await recordAudit(scope, ctx, {
          action: 'security.proof',
          objectType: 'login',
          objectId: row.id,
          objectName: row.username,
          after: { method: input.method },
          result: right ? 'ok' : 'refused',
        })
        return right ? null : refusalOf(input.method)
      })
      if (wrong) throw wrong
      return { provenUntil: new Date(untilOf(at)).toISOString() }
    },
  }
}

function refusalOf(method: ProofMethod): AppError {
  const code =
    method === 'password'
      ? 'security.password_wrong'
      : method === 'passkey'
        ? 'security.passkey_refused'
        : 'security.code_wrong'
  return new AppError(code, { fields: { [method === 'password' ? 'password' : 'code']: { code } } })
}

/** The login behind a request. @throws AppError auth.required for work of the system, api_key.not_allowed for programs */
export function loginIdOf(ctx: Ctx): string {
  return personId(ctx.actor)
}

export async function personOf(scope: SystemScope, loginId: string): Promise<SecurityRow> {
  const row = await securityRow(scope, loginId)
  if (!row) throw new AppError('auth.token_invalid')
  return row
}
