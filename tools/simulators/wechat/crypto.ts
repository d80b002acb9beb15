import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * WeChat's side of signatures and encryption, written from its documents: nothing here is shared with the server, so that
 * a mistake of one side does not agree with itself.
 */

export const sha1 = (...parts: string[]): string => {
  const sorted = [...parts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const hash = createHash('sha1')
  for (const part of sorted) hash.update(part)
  return hash.digest('hex')
}

/** AES-256-CBC over random(16) | length(4, network order) | message | app id, padded to whole blocks of 32. */
export function encrypt(message: string, encodingAesKey: string, appId: string): string {
  const key = Buffer.from(`${encodingAesKey}=`, 'base64')
  const text = Buffer.from(message, 'utf8')
  const id = Buffer.from(appId, 'utf8')
  const used = 16 + 4 + text.length + id.length
  const padding = 32 - (used % 32)
  const whole = Buffer.alloc(used + padding, padding)
  randomBytes(16).copy(whole, 0)
  whole.writeInt32BE(text.length, 16)
  text.copy(whole, 20)
  id.copy(whole, 20 + text.length)
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16))
  cipher.setAutoPadding(false)
  return cipher.update(whole, undefined, 'base64') + cipher.final('base64')
}

/** @throws Error saying what is wrong */
export function decrypt(encrypted: string, encodingAesKey: string, appId: string): string {
  const key = Buffer.from(`${encodingAesKey}=`, 'base64')
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16))
  decipher.setAutoPadding(false)
  const whole = Buffer.concat([decipher.update(encrypted, 'base64'), decipher.final()])
  const padding = whole[whole.length - 1]!
  if (padding === 0 || padding > 32) throw new Error('the padding is wrong')
  const length = whole.readInt32BE(16)
  const rest = whole.subarray(20 + length, whole.length - padding).toString('utf8')
  if (rest !== appId) throw new Error(`it is for ${rest}`)
  return whole.subarray(20, 20 + length).toString('utf8')
}

/** Text of one element of a flat document. */
export function element(xml: string, name: string): string {
  const found = new RegExp(`<${name}>(?:<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>|([^<]*))</${name}>`).exec(xml)
  return found ? (found[1] ?? found[2] ?? '') : ''
}

export const document = (values: Record<string, string | number>): string =>
  `<xml>${Object.entries(values)
    .map(([name, value]) =>
      typeof value === 'number' ? `<${name}>${value}</${name}>` : `<${name}><![CDATA[${value}]]></${name}>`,
    )
    .join('')}</xml>`
