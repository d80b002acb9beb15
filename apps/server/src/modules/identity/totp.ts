import { generateSecret, generateURI, verify } from 'otplib'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { advanceTotp, confirmTotp, storePendingTotp, totpOf } from './security.repo.ts'

/** Seconds of a time step (RFC 6238 §4.1) and how far a phone's clock may be off: one step to each side. */
const STEP = 30
const TOLERANCE = 30
const ISSUER = 'Thingwright'

export interface Totp {
  /** A new secret, sealed as pending until a code confirms it; the working one stays meanwhile. */
  begin(
    scope: SystemScope,
    login: { id: string; tenantId: string; username: string },
  ): Promise<{ secret: string; uri: string }>
  /** Whether the code belongs to the pending secret; then it becomes the working one and the code is used up. */
  confirm(scope: SystemScope, loginId: string, code: string): Promise<boolean>
  /** Whether the code is right and newer than the last one taken: none counts twice (RFC 6238 §5.2). */
  check(scope: SystemScope, loginId: string, code: string): Promise<boolean>
}

/** Authenticator apps. Secrets are sealed and bound to their login, so that a row copied to another login opens nothing. */
export function createTotp(box: CryptoBox, now: () => number): Totp {
  const epoch = () => Math.floor(now() / 1000)

  /** The time step a code belongs to, null when it is wrong. */
  async function stepOf(sealed: Buffer | null, loginId: string, code: string): Promise<number | null> {
    const token = code.replace(/\s/g, '')
    if (!sealed || !/^\d{6}$/.test(token)) return null
    const secret = box.open(sealed, loginId).toString('utf8')
    const result = await verify({ secret, token, epoch: epoch(), period: STEP, epochTolerance: TOLERANCE })
    return result.valid ? Math.floor(epoch() / STEP) + result.delta : null
  }

  return {
    async begin(scope, login) {
      const secret = generateSecret({ length: 20 })
      await storePendingTotp(scope, login.id, login.tenantId, box.seal(secret, login.id))
      return { secret, uri: generateURI({ issuer: ISSUER, label: login.username, secret }) }
    },
    async confirm(scope, loginId, code) {
      const row = await totpOf(scope, loginId)
      const step = await stepOf(row?.pending_cipher ?? null, loginId, code)
      if (step === null) return false
      await confirmTotp(scope, loginId, step, new Date(now()))
      return true
    },
    async check(scope, loginId, code) {
      const row = await totpOf(scope, loginId)
      if (!row?.confirmed_at) return false
      const step = await stepOf(row.secret_cipher, loginId, code)
      return step !== null && advanceTotp(scope, loginId, step)
    },
  }
}
