import type { WrittenBytes } from '@thingwright/contracts/links.contract'

const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0', '\\': '\\' }

/** Text or hex that somebody typed, as hex digits; null: not hex. In text \r \n \t \0 \\ and \xHH stand for bytes. */
export function toHex({ encoding, value }: WrittenBytes): string | null {
  if (encoding === 'hex') {
    const digits = value.replace(/\s/g, '')
    return /^([0-9a-fA-F]{2})*$/.test(digits) ? digits.toLowerCase() : null
  }
  const text = value.replace(/\\(x[0-9a-fA-F]{2}|[rnt0\\])/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : ESCAPES[code]!,
  )
  const bytes = /[^\u0000-\u00ff]/.test(text)
    ? new TextEncoder().encode(text)
    : Uint8Array.from(text, sign => sign.charCodeAt(0))
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Hex digits in pairs, for reading. */
export function spaced(hex: string): string {
  return (hex.match(/../g) ?? []).join(' ').toUpperCase()
}
