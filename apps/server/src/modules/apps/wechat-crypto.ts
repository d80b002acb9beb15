import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Signatures and encryption of WeChat's messages (docs/apps.md): SHA-1 over sorted texts, AES-256-CBC with PKCS#7 in
 * blocks of 32 bytes, and inside 16 random bytes, the length, the message, and whose message it is.
 */

const BLOCK = 32

/** What signs a request: everything that both sides know, sorted, as one text. */
export function signatureOf(...parts: string[]): string {
  return createHash('sha1').update(parts.sort().join('')).digest('hex')
}

/** Compares without telling how far two signatures are the same. */
export function isSigned(signature: string | undefined, ...parts: string[]): boolean {
  const [given, right] = [Buffer.from(signature ?? ''), Buffer.from(signatureOf(...parts))]
  return given.length === right.length && timingSafeEqual(given, right)
}

const keyOf = (aesKey: string) => Buffer.from(`${aesKey}=`, 'base64')

/** @returns base64 */
export function encryptMessage(text: string, aesKey: string, appId: string, random = randomBytes(16)): string {
  const key = keyOf(aesKey)
  const message = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(message.length)
  const plain = Buffer.concat([random, length, message, Buffer.from(appId)])
  const pad = BLOCK - (plain.length % BLOCK)
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  return Buffer.concat([cipher.update(Buffer.concat([plain, Buffer.alloc(pad, pad)])), cipher.final()]).toString(
    'base64',
  )
}

/** The message, or null: it is not for this app id, or was not encrypted with this key. */
export function decryptMessage(encrypted: string, aesKey: string, appId: string): string | null {
  try {
    const key = keyOf(aesKey)
    const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
    const padded = Buffer.concat([decipher.update(Buffer.from(encrypted, 'base64')), decipher.final()])
    const pad = padded.at(-1)!
    if (pad < 1 || pad > BLOCK) return null
    const plain = padded.subarray(0, -pad)
    const length = plain.readUInt32BE(16)
    const end = 20 + length
    if (end > plain.length || plain.subarray(end).toString() !== appId) return null
    return plain.subarray(20, end).toString('utf8')
  } catch {
    return null
  }
}
