import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { AppError } from '../../lib/errors.ts'

/** RSA with fewer bits is not taken by the providers either. */
const LEAST_BITS = 2048

/**
 * A private key as it was pasted: PEM of either kind, or the bare text that Alipay's tool gives out.
 * @returns PEM, PKCS8
 * @throws AppError payment_provider.key_unreadable
 */
export function privatePem(text: string): string {
  const key = readable(text, [pem => createPrivateKey(pem)], ['PRIVATE KEY', 'RSA PRIVATE KEY'], 'privateKey')
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/**
 * The provider's public key as it was pasted: PEM, a certificate, or bare text.
 * @returns PEM
 * @throws AppError payment_provider.key_unreadable
 */
export function publicPem(text: string): string {
  const readers = [
    (pem: string) => {
      // A private key has a public one too, and must not be taken for it.
      if (pem.includes('PRIVATE KEY')) throw new Error('a private key')
      return createPublicKey(pem)
    },
    (pem: string) => new X509Certificate(pem).publicKey,
  ]
  const key = readable(text, readers, ['PUBLIC KEY', 'RSA PUBLIC KEY'], 'platformKey')
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

function readable(
  text: string,
  readers: readonly ((pem: string) => KeyObject)[],
  labels: readonly string[],
  field: 'privateKey' | 'platformKey',
): KeyObject {
  const trimmed = text.trim()
  const bare = trimmed.replaceAll(/\s+/g, '')
  const pems = trimmed.includes('-----BEGIN ')
    ? [trimmed]
    : labels.map(label => `-----BEGIN ${label}-----\n${bare.replaceAll(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`)
  for (const pem of pems)
    for (const read of readers)
      try {
        const key = read(pem)
        if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_BITS) return key
      } catch {
        // The next way of reading it.
      }
  const code = 'payment_provider.key_unreadable'
  throw new AppError(code, { fields: { [field]: { code } } })
}

/** The public half of it, told apart by a hash that may be shown: `SHA256:1f2e…`. */
export function fingerprint(pem: string): string {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  return `SHA256:${createHash('sha256').update(der).digest('hex').slice(0, 16)}`
}
