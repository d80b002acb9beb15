import { randomBytes } from 'node:crypto'
import { secretHash } from '../../lib/crypto/secrets.ts'
import { randomKey } from '../../lib/ids.ts'
import { API_KEY_START } from '../identity/index.ts'

/** Lower case and digits without look-alikes: read out over the phone when somebody asks which key it is. */
const PREFIX_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const TEXT = new RegExp(`^${API_KEY_START}[a-z0-9]{8}_[A-Za-z0-9_-]{43}$`)

export interface NewKeyText {
  /** In the answer of the request that made it, nowhere else. */
  text: string
  prefix: string
  hash: Buffer
}

/** `twk_{8}_{43}`: what is shown for ever, and 32 random bytes. */
export function newKeyText(): NewKeyText {
  const prefix = `${API_KEY_START}${randomKey(8, PREFIX_ALPHABET)}`
  const text = `${prefix}_${randomBytes(32).toString('base64url')}`
  return { text, prefix, hash: secretHash(text) }
}

/** What a key is looked up by; null: no key looks like that. */
export function hashOfKey(text: string): Buffer | null {
  return TEXT.test(text) ? secretHash(text) : null
}
