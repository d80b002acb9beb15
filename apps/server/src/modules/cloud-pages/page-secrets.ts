import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(scrypt) as (secret: string, salt: Buffer, length: number) => Promise<Buffer>
const LENGTH = 32

/** `salt$hash` of a passcode or PIN, both base64url. */
export async function hashOf(secret: string): Promise<string> {
  const salt = randomBytes(16)
  return `${salt.toString('base64url')}$${(await derive(secret, salt, LENGTH)).toString('base64url')}`
}

export async function isRight(stored: string, secret: string): Promise<boolean> {
  const [salt = '', hash = ''] = stored.split('$')
  const seen = await derive(secret, Buffer.from(salt, 'base64url'), LENGTH)
  const known = Buffer.from(hash, 'base64url')
  return known.length === seen.length && timingSafeEqual(known, seen)
}
