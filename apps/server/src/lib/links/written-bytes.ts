import type { WrittenBytes } from '@thingwright/contracts/links.contract'

const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0', '\\': '\\' }

/** The bytes that somebody wrote as hex or text; null: hex digits are missing or wrong. */
export function bytesOf({ encoding, value }: WrittenBytes): Buffer | null {
  if (encoding === 'text')
    return Buffer.from(
      value.replace(/\\(x[0-9a-fA-F]{2}|[rnt0\\])/g, (_, code: string) =>
        code.length === 3 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : ESCAPES[code]!,
      ),
      // \xHH is a byte; text outside Latin is written as UTF-8.
      /[^\u0000-\u00ff]/.test(value) ? 'utf8' : 'latin1',
    )
  const digits = value.replace(/\s/g, '')
  return /^([0-9a-fA-F]{2})+$/.test(digits) ? Buffer.from(digits, 'hex') : null
}
