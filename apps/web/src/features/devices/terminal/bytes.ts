/** What is appended to what was typed. */
export const ENDINGS = ['none', 'crc16', 'sum8', 'crlf', 'lf'] as const
export type Ending = (typeof ENDINGS)[number]

export const MAX_BYTES = 8_192

/** Pairs of hex digits with blanks, commas or 0x between them; null for anything else. */
export function hexBytes(text: string): number[] | null {
  const digits = text.replaceAll(/0x/gi, ' ').replaceAll(/[\s,;]+/g, ' ')
  const bytes: number[] = []
  for (const group of digits.trim().split(' ')) {
    if (group === '') continue
    // A single digit that stands alone is a byte of its own.
    const padded = group.length === 1 ? `0${group}` : group
    if (padded.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(padded)) return null
    for (const pair of padded.match(/../g)!) bytes.push(Number.parseInt(pair, 16))
  }
  return bytes
}

const SIMPLE: Record<string, number> = { r: 13, n: 10, t: 9, '0': 0, '\\': 92 }

/** UTF-8 of a text in which \r \n \t \0 \\ and \xHH stand for bytes; null for an escape that is none. */
export function textBytes(text: string): number[] | null {
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [part, simple, hex] of text.matchAll(/\\(?:([rnt0\\])|x([0-9a-f]{2}))|\\|[^\\]+/gi)) {
    if (simple !== undefined) bytes.push(SIMPLE[simple.toLowerCase()]!)
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16))
    else if (part === '\\') return null
    else bytes.push(...encoder.encode(part))
  }
  return bytes
}

/** CRC-16/MODBUS (MODBUS over Serial Line V1.02 §6.2.2), low byte first. */
export function crc16(bytes: readonly number[]): [number, number] {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return [crc & 0xff, crc >> 8]
}

export function withEnding(bytes: readonly number[], ending: Ending): number[] {
  switch (ending) {
    case 'crc16':
      return [...bytes, ...crc16(bytes)]
    case 'sum8':
      return [...bytes, bytes.reduce((sum, byte) => (sum + byte) & 0xff, 0)]
    case 'crlf':
      return [...bytes, 13, 10]
    case 'lf':
      return [...bytes, 10]
    default:
      return [...bytes]
  }
}

export const toHex = (bytes: readonly number[]): string =>
  bytes.map(byte => byte.toString(16).padStart(2, '0')).join('')
