import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type FirmwareFacts, firmwareManifest } from '@thingwright/contracts/firmware-manifest'
import { AppError } from '../../lib/errors.ts'

/** SubjectPublicKeyInfo of an Ed25519 key up to its 32 bytes (RFC 8410 §4). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Reads an Ed25519 public key as people paste it: base64 of its 32 bytes, base64 of its SPKI, or PEM.
 * @returns its 32 bytes
 * @throws AppError firmware.key_invalid
 */
export function readPublicKey(text: string): Buffer {
  try {
    const trimmed = text.trim()
    const bytes = Buffer.from(trimmed, 'base64')
    const key = trimmed.includes('BEGIN')
      ? createPublicKey(trimmed)
      : bytes.length === 32
        ? keyOf(bytes)
        : createPublicKey({ key: bytes, format: 'der', type: 'spki' })
    // A private key would make a public one too, and must not lie here.
    if (key.asymmetricKeyType !== 'ed25519' || /PRIVATE/.test(trimmed)) throw new TypeError('not an Ed25519 public key')
    return Buffer.from(key.export({ format: 'der', type: 'spki' }).subarray(SPKI.length))
  } catch (error) {
    throw new AppError('firmware.key_invalid', { cause: error })
  }
}

const keyOf = (bytes: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })

/**
 * Which of the product's keys made a signature over the manifest of a package.
 * @throws AppError firmware.signature_invalid when none did, a key of another company included
 */
export function signerOf<K extends { publicKey: Buffer }>(
  facts: FirmwareFacts,
  signature: Buffer,
  keys: readonly K[],
): K {
  const message = Buffer.from(firmwareManifest(facts), 'ascii')
  const signer =
    signature.length === 64 ? keys.find(key => verify(null, message, keyOf(key.publicKey), signature)) : undefined
  if (!signer) throw new AppError('firmware.signature_invalid')
  return signer
}
