import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { FirmwareNotify } from './notify.ts'
import type { FirmwareStore, Slot } from './store.ts'

const PIECE = 64 * 1024
/** SubjectPublicKeyInfo of an Ed25519 key up to its 32 bytes (RFC 8410 §4). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * An Ed25519 public key as the platform shows it: base64 of 32 bytes, or PEM.
 * @throws TypeError when it is no such key
 */
export function publicKeyOf(text: string): KeyObject {
  if (text.includes('BEGIN')) {
    const key = createPublicKey(text)
    if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key')
    return key
  }
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 32) throw new TypeError('not an Ed25519 key')
  return createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })
}

/**
 * What the signature of a package speaks for: product, module, versions, size and hash, so that a signed file cannot be
 * passed off as another version or for another product (docs/device-protocol.md).
 */
export function manifestOf(productKey: string, notify: FirmwareNotify): string {
  const { module, version, fromVersion, size, sha256 } = notify
  return `thingwright-firmware-1\n${productKey}\n${module}\n${version}\n${fromVersion ?? '-'}\n${size}\n${sha256}\n`
}

/**
 * Holds the signature of a notice against the keys, before a byte is loaded. With keys an unsigned package is refused;
 * without keys nothing is asked.
 */
export function verifyNotify(
  productKey: string,
  notify: FirmwareNotify,
  keys: readonly KeyObject[],
): 'ok' | 'signature_missing' | 'signature_invalid' {
  if (keys.length === 0) return 'ok'
  if (!notify.signature) return 'signature_missing'
  const manifest = Buffer.from(manifestOf(productKey, notify))
  const signature = Buffer.from(notify.signature, 'base64')
  return signature.length === 64 && keys.some(key => verify(null, manifest, key, signature))
    ? 'ok'
    : 'signature_invalid'
}

/** Reads the whole slot again from the medium and holds it against the hash of the notice. */
export async function verifySlot(store: FirmwareStore, slot: Slot, { size, sha256 }: FirmwareNotify): Promise<boolean> {
  const hash = createHash('sha256')
  for (let at = 0; at < size; ) {
    const piece = await store.read(slot, at, Math.min(PIECE, size - at))
    if (piece.length === 0) return false
    hash.update(piece)
    at += piece.length
  }
  return hash.digest('hex') === sha256
}
