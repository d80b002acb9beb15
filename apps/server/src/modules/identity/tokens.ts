import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createSigner, createVerifier, TokenError } from 'fast-jwt'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import { AppError } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'

/** Seconds an access token lives. */
export const ACCESS_SECONDS = 900
/** Days a refresh token lives since its last use. */
export const REFRESH_DAYS = 30
/** For this long the token just replaced gets the same successor again (several tabs). */
export const REFRESH_OVERLAP_SECONDS = 30

export interface AccessClaims {
  /** Login id. */
  sub: string
  /** Tenant id. */
  tid: string
  /** App id of the company. */
  app: string
  /** Epoch of the login: raised when password, role or state change. */
  ep: number
  /** Refresh family; ended with it. Absent for grants without one. */
  fam?: string
  /** A program: `sub` is its API key, `ep` the count of the key's rotations. */
  key?: true
  /** A member who works as an end user: his login; `fam` is his session. */
  imp?: string
  /** An operator inside a company: the company's consent, on which the session stands. */
  sup?: string
}

export interface Tokens {
  signAccess(claims: AccessClaims): string
  /** @throws AppError auth.token_expired or auth.token_invalid */
  verifyAccess(token: string): AccessClaims & { exp: number }
  /** The refresh token of a family at a count; derived, so that nothing but its hash is stored. */
  refreshToken(familyId: string, counter: number): string
  /** Reads and authenticates a refresh token, null when it is not ours. */
  parseRefresh(token: string): { familyId: string; counter: number } | null
}

/** Signs and checks tokens with keys derived from the installation's secret. `now` in epoch ms. */
export function createTokens(secretKey: string, now: () => number): Tokens {
  const key = deriveKey(secretKey, 'access-token')
  const refreshKey = deriveKey(secretKey, 'refresh-token')
  const sign = createSigner({ key, algorithm: 'HS256', noTimestamp: true })
  // One algorithm, one issuer, one audience: `none`, other algorithms and foreign tokens fail here. Times are checked below, by our clock.
  const verify = createVerifier({
    key,
    algorithms: ['HS256'],
    allowedIss: 'thingwright',
    allowedAud: 'thingwright-api',
    ignoreExpiration: true,
    cache: 5000,
  })

  function mac(familyId: string, counter: number): string {
    return createHmac('sha256', refreshKey).update(`${familyId}.${counter}`).digest('base64url')
  }

  return {
    signAccess(claims) {
      const iat = Math.floor(now() / 1000)
      return sign({ ...claims, iss: 'thingwright', aud: 'thingwright-api', iat, exp: iat + ACCESS_SECONDS })
    },
    verifyAccess(token) {
      let claims: (AccessClaims & { exp: number }) | undefined
      try {
        claims = verify(token)
      } catch (error) {
        if (error instanceof TokenError) throw new AppError('auth.token_invalid')
        throw error
      }
      if (!claims || typeof claims.exp !== 'number' || !isUuid(String(claims.sub)) || !isUuid(String(claims.tid)))
        throw new AppError('auth.token_invalid')
      if (claims.exp * 1000 <= now()) throw new AppError('auth.token_expired')
      return claims
    },
    refreshToken: (familyId, counter) => `${familyId}.${counter}.${mac(familyId, counter)}`,
    parseRefresh(token) {
      const match = /^([0-9a-f-]{36})\.(\d{1,9})\.([A-Za-z0-9_-]{43})$/.exec(token)
      if (!match || !isUuid(match[1]!)) return null
      const familyId = match[1]!
      const counter = Number(match[2])
      const expected = Buffer.from(mac(familyId, counter))
      const given = Buffer.from(match[3]!)
      return expected.length === given.length && timingSafeEqual(expected, given) ? { familyId, counter } : null
    },
  }
}

/** What is stored of a refresh token. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
