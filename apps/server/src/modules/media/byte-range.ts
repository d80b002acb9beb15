import type { ByteRange } from './object-store.port.ts'

/**
 * The part that a Range header asks for (RFC 9110 §14): one range of bytes; several, or what cannot be read, count as no
 * range, which the standard allows.
 * @returns null: everything; 'none': nothing of it is within the object (416)
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'none' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  if (match[1] === '') {
    const last = Number(match[2])
    if (last === 0 || size === 0) return 'none'
    return { start: Math.max(0, size - last), end: size - 1 }
  }
  const start = Number(match[1])
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (start >= size) return 'none'
  return end < start ? null : { start, end }
}
