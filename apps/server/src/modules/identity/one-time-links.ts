import { createHash, randomBytes } from 'node:crypto'

/** A token for a link: 256 random bits in the link, only its SHA-256 in the database. */
export function newLinkToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: linkHash(token) }
}

export function linkHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
