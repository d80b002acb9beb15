import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Seals small things at rest: AES-256-GCM, 12-byte nonce, layout nonce | tag | ciphertext. */
export interface CryptoBox {
  seal(plain: Buffer | string, context: string): Buffer
  /** @throws when the bytes were altered or sealed for another context or key */
  open(sealed: Buffer, context: string): Buffer
}

/** A box whose key is derived (HKDF-SHA256) from the installation's secret for one purpose. */
export function createCryptoBox(secretKey: string, purpose: string): CryptoBox {
  return cryptoBoxOf(deriveKey(secretKey, purpose))
}

/** A box of a key that was derived elsewhere: a process that gets it can open this purpose's boxes and nothing else. */
export function cryptoBoxOf(key: Buffer): CryptoBox {
  return {
    seal(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
    },
  }
}

/** A key of its own for each purpose, derived from the installation's secret. */
export function deriveKey(secretKey: string, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `thingwright:${purpose}`, bytes))
}
