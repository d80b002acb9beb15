import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CryptoBox } from './crypto-box.ts'
import { secretHash } from './secrets.ts'

/** How product secrets begin: so that a password says by itself that it asks for a registration. */
export const PRODUCT_SECRET_PREFIX = 'twp_'
/** How access tokens begin: so that a leaked one is recognised, and nobody takes it for a device secret. */
export const ACCESS_TOKEN_PREFIX = 'twt_'

export type SignatureMethod = 'hmacmd5' | 'hmacsha1' | 'hmacsha256'

const HASHES: Record<SignatureMethod, string> = { hmacmd5: 'md5', hmacsha1: 'sha1', hmacsha256: 'sha256' }

export interface NewCredential {
  /** In the answer of the request that made it. */
  shown: string
  hash: Buffer
  cipher: Buffer
}

/** A product's secret: prefix and 32 random bytes. The cipher opens for this product only. */
export function newProductSecret(box: CryptoBox, productId: string): NewCredential {
  return made(box, `${PRODUCT_SECRET_PREFIX}${randomBytes(32).toString('base64url')}`, `product:${productId}`)
}

/** An access token: prefix and 15 random bytes: MQTT user names and paths are where it has to fit. */
export function newAccessToken(box: CryptoBox, deviceId: string): NewCredential {
  return made(box, `${ACCESS_TOKEN_PREFIX}${randomBytes(15).toString('base64url')}`, tokenContext(deviceId))
}

/** Seals a token that a device has already for another device id. */
export function sealAccessToken(box: CryptoBox, deviceId: string, token: string): Buffer {
  return box.seal(token, tokenContext(deviceId))
}

/** @throws when the bytes were altered, or sealed for another device or installation */
export function openAccessToken(box: CryptoBox, deviceId: string, cipher: Buffer): string {
  return box.open(cipher, tokenContext(deviceId)).toString('utf8')
}

function made(box: CryptoBox, shown: string, context: string): NewCredential {
  return { shown, hash: secretHash(shown), cipher: box.seal(shown, context) }
}

const tokenContext = (deviceId: string) => `device-token:${deviceId.toLowerCase()}`

/** The HMAC of a text under a device's secret. */
export function signatureOf(method: SignatureMethod, secret: string, content: string): Buffer {
  return createHmac(HASHES[method], secret).update(content, 'utf8').digest()
}

/** Whether `signature` (hex) is the HMAC of the content under the secret, compared in constant time. */
export function signatureMatches(method: SignatureMethod, secret: string, content: string, signature: string): boolean {
  const own = signatureOf(method, secret, content)
  const given = Buffer.from(signature, 'hex')
  return given.length === own.length && timingSafeEqual(given, own)
}
