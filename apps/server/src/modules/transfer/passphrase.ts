import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { type CryptoBox, createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { AppError } from '../../lib/errors.ts'
import type { Manifest } from './manifest.ts'

const derive = promisify(scrypt) as (
  passphrase: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>

const CHECK = 'thingwright'

async function boxOf(passphrase: string, salt: Buffer): Promise<CryptoBox> {
  const key = await derive(passphrase.normalize('NFC'), salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 ** 2 })
  return createCryptoBox(key.toString('hex'), 'company-export')
}

/** A box that only the passphrase opens, and what the manifest must say of it. */
export async function newPassphraseBox(
  passphrase: string,
): Promise<{ box: CryptoBox; secrets: NonNullable<Manifest['secrets']> }> {
  const salt = randomBytes(16)
  const box = await boxOf(passphrase, salt)
  return { box, secrets: { salt: salt.toString('base64'), check: box.seal(CHECK, 'check').toString('base64') } }
}

/** @throws AppError transfer.passphrase_wrong */
export async function openPassphraseBox(
  passphrase: string,
  secrets: NonNullable<Manifest['secrets']>,
): Promise<CryptoBox> {
  const box = await boxOf(passphrase, Buffer.from(secrets.salt, 'base64'))
  try {
    if (box.open(Buffer.from(secrets.check, 'base64'), 'check').toString() === CHECK) return box
  } catch {
    // falls through to the refusal
  }
  throw new AppError('transfer.passphrase_wrong', { fields: { passphrase: { code: 'transfer.passphrase_wrong' } } })
}
