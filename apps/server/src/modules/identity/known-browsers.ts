import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'

/** Days a browser is remembered since its last sign-in. */
export const BROWSER_DAYS = 180

/**
 * Remembers, by a signed cookie, in which browsers a person has signed in before (OWASP: "device cookies"). It opens
 * nothing; failures from such a browser are only counted apart, so that a stranger who keeps a name locked by guessing
 * does not keep its owner out.
 */
export interface KnownBrowsers {
  /** The value of the cookie after a sign-in. */
  issue(loginId: string): string
  /** Which of a login's browsers this is, null when it is none. */
  read(cookie: string | undefined, loginId: string): string | null
}

export function createKnownBrowsers(secretKey: string): KnownBrowsers {
  const key = deriveKey(secretKey, 'known-browser')
  const mac = (loginId: string, nonce: string) =>
    createHmac('sha256', key).update(`${loginId}.${nonce}`).digest('base64url')
  return {
    issue(loginId) {
      const nonce = randomBytes(12).toString('base64url')
      return `${nonce}.${mac(loginId, nonce)}`
    },
    read(cookie, loginId) {
      const [, nonce, given] = /^([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{43})$/.exec(cookie ?? '') ?? []
      if (!nonce || !given) return null
      return timingSafeEqual(Buffer.from(mac(loginId, nonce)), Buffer.from(given)) ? nonce : null
    },
  }
}
