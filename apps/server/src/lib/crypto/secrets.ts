import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CryptoBox } from './crypto-box.ts'

/** What is kept of a device's secret, and the one sight of it that its owner gets. */
export interface NewDeviceSecret {
  /** 43 characters base64url; in the answer of the request that made it, nowhere else. */
  shown: string
  /** SHA-256, for looking up and comparing. The secret has 256 random bits, so a slow hash would add nothing. */
  hash: Buffer
  /** Sealed for this device: HMAC sign-in of other dialects needs the secret itself. */
  cipher: Buffer
}

/** A device's secret: 32 random bytes. The cipher opens for this device id only. */
export function newDeviceSecret(box: CryptoBox, deviceId: string): NewDeviceSecret {
  const shown = randomBytes(32).toString('base64url')
  return { shown, hash: secretHash(shown), cipher: box.seal(shown, deviceContext(deviceId)) }
}

/** Seals a secret that the device has already, e.g. one that came from another installation. */
export function sealDeviceSecret(
  box: CryptoBox,
  deviceId: string,
  secret: string,
): Pick<NewDeviceSecret, 'hash' | 'cipher'> {
  return { hash: secretHash(secret), cipher: box.seal(secret, deviceContext(deviceId)) }
}

/** @throws when the bytes were altered, or sealed for another device or installation */
export function openDeviceSecret(box: CryptoBox, deviceId: string, cipher: Buffer): string {
  return box.open(cipher, deviceContext(deviceId)).toString('utf8')
}

/** The look-up column of a secret as it is shown. */
export function secretHash(secret: string | Buffer): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Compares a presented secret with a stored hash in constant time; an absent hash never matches. */
export function secretMatches(presented: string | Buffer, hash: Buffer | null | undefined): boolean {
  const digest = secretHash(presented)
  // The comparison is made either way, so that a missing hash takes as long as a wrong one.
  const equal = timingSafeEqual(digest, hash?.length === digest.length ? hash : NOTHING)
  return equal && hash !== null && hash !== undefined
}

/** No SHA-256 of anything known. */
const NOTHING = Buffer.alloc(32)

const deviceContext = (deviceId: string) => `device:${deviceId.toLowerCase()}`
