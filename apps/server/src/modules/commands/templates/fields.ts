/** `{{name*10+5:uint16be}}`: a parameter, an optional line (times, plus) and how it is written. */
export interface Field {
  name: string
  factor: number
  offset: number
  type: string
}

export class FieldError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path}: ${reason}`)
  }
}

const FIELD =
  /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:([*/])\s*(-?\d+(?:\.\d+)?))?\s*(?:([+-])\s*(\d+(?:\.\d+)?))?\s*(?::\s*([a-z0-9]+)\s*)?\}\}/
/** Every field, for cutting a template into pieces. */
export const FIELDS = new RegExp(FIELD.source, 'g')
const WHOLE = new RegExp(`^${FIELD.source}$`)

const INTEGERS: Record<string, { bytes: number; signed: boolean }> = {
  int8: { bytes: 1, signed: true },
  uint8: { bytes: 1, signed: false },
  int16: { bytes: 2, signed: true },
  uint16: { bytes: 2, signed: false },
  int32: { bytes: 4, signed: true },
  uint32: { bytes: 4, signed: false },
  int64: { bytes: 8, signed: true },
  uint64: { bytes: 8, signed: false },
}

function fieldOf(match: RegExpExecArray | RegExpMatchArray): Field {
  const [, name, times, by, sign, plus, type] = match
  const factor = times === undefined ? 1 : times === '*' ? Number(by) : 1 / Number(by)
  return { name: name!, factor, offset: plus === undefined ? 0 : Number(`${sign}${plus}`), type: type ?? '' }
}

/** The field that the whole text is, or null. */
export function wholeField(text: string): Field | null {
  const match = WHOLE.exec(text.trim())
  return match ? fieldOf(match) : null
}

/** Names of parameters that a template speaks of, and whether each is written as bytes of a known type. */
export function fieldsIn(text: string): Field[] {
  return [...text.matchAll(FIELDS)].map(fieldOf)
}

/**
 * Hex with fields → bytes. Spaces, line ends and `0x` between bytes are let through.
 * @throws FieldError where a digit is missing, a type is unknown, or a value does not fit its type
 */
export function renderHex(template: string, values: Readonly<Record<string, unknown>>, path = 'template'): Buffer {
  const parts: Buffer[] = []
  let from = 0
  const literal = (text: string) => {
    const digits = text.replaceAll(/0x|[\s,_-]/gi, '')
    if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new FieldError(path, 'hex')
    parts.push(Buffer.from(digits, 'hex'))
  }
  for (const match of template.matchAll(FIELDS)) {
    literal(template.slice(from, match.index))
    const field = fieldOf(match)
    parts.push(bytesOf(field, values[field.name], `${path}.${field.name}`))
    from = match.index + match[0].length
  }
  literal(template.slice(from))
  return Buffer.concat(parts)
}

/** Text with fields; `\r \n \t \\ \xHH` are read as in C. @throws FieldError for a value that is not there */
export function renderText(template: string, values: Readonly<Record<string, unknown>>, path = 'template'): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  const literal = (text: string) => {
    let at = 0
    for (const sign of text.matchAll(/\\(?:x([0-9a-fA-F]{2})|([rnt0\\]))/g)) {
      pieces.push(Buffer.from(text.slice(at, sign.index)))
      const code = sign[1] !== undefined ? Number.parseInt(sign[1], 16) : ESCAPES[sign[2]!]!
      pieces.push(Buffer.from([code]))
      at = sign.index + sign[0].length
    }
    pieces.push(Buffer.from(text.slice(at)))
  }
  for (const match of template.matchAll(FIELDS)) {
    literal(template.slice(from, match.index))
    const field = fieldOf(match)
    const value = scaled(field, values[field.name], `${path}.${field.name}`)
    pieces.push(field.type ? bytesOf(field, values[field.name], `${path}.${field.name}`) : Buffer.from(plain(value)))
    from = match.index + match[0].length
  }
  literal(template.slice(from))
  return Buffer.concat(pieces)
}

const ESCAPES: Record<string, number> = { r: 13, n: 10, t: 9, '0': 0, '\\': 92 }

const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** JSON with fields: a text that is one field becomes the value, a field inside a text is written into it. */
export function renderJson(template: unknown, values: Readonly<Record<string, unknown>>, path = 'template'): unknown {
  if (typeof template === 'string') {
    const whole = wholeField(template)
    if (whole) return scaled(whole, values[whole.name], `${path}.${whole.name}`)
    return template.replaceAll(FIELDS, text => {
      const field = wholeField(text)!
      return plain(scaled(field, values[field.name], `${path}.${field.name}`))
    })
  }
  if (Array.isArray(template)) return template.map((each, i) => renderJson(each, values, `${path}[${i}]`))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, renderJson(value, values, `${path}.${key}`)]),
  )
}

function scaled(field: Field, value: unknown, path: string): unknown {
  if (value === undefined || value === null) throw new FieldError(path, 'missing')
  if (field.factor === 1 && field.offset === 0) return value
  if (typeof value !== 'number') throw new FieldError(path, 'number')
  // Without the tail that binary fractions leave: 0.1 * 3 is 0.3 to whoever writes it.
  return Number((value * field.factor + field.offset).toPrecision(15))
}

function bytesOf(field: Field, raw: unknown, path: string): Buffer {
  const value = scaled(field, raw, path)
  const kind = /^(u?int(?:8|16|32|64)|float32|float64)(be|le|cdab|badc)?$/.exec(field.type)
  if (kind) return ordered(numberBytes(kind[1]!, value, path), kind[2] ?? 'be')
  switch (field.type) {
    case 'coil':
      return Buffer.from(truth(value, path) ? [0xff, 0x00] : [0x00, 0x00])
    case 'bool8':
      return Buffer.from([truth(value, path) ? 1 : 0])
    case 'bool16':
      return Buffer.from([0, truth(value, path) ? 1 : 0])
    case 'ascii':
    case 'utf8':
      return Buffer.from(plain(value))
    case 'hex': {
      if (typeof value !== 'string' || !/^([0-9a-f]{2})*$/i.test(value)) throw new FieldError(path, 'hex')
      return Buffer.from(value, 'hex')
    }
  }
  const sized = /^(bcd|ascii)([1-9]\d?)$/.exec(field.type)
  if (sized?.[1] === 'bcd') return bcd(value, Number(sized[2]), path)
  if (sized?.[1] === 'ascii') {
    const text = Buffer.from(plain(value))
    const length = Number(sized[2])
    if (text.length > length) throw new FieldError(path, 'too_long')
    return Buffer.concat([text, Buffer.alloc(length - text.length)])
  }
  throw new FieldError(path, 'type')
}

function numberBytes(type: string, value: unknown, path: string): Buffer {
  const number = typeof value === 'boolean' ? Number(value) : value
  if (type === 'float32' || type === 'float64') {
    if (typeof number !== 'number' || !Number.isFinite(number)) throw new FieldError(path, 'number')
    const out = Buffer.alloc(type === 'float32' ? 4 : 8)
    if (type === 'float32') out.writeFloatBE(number)
    else out.writeDoubleBE(number)
    return out
  }
  const { bytes, signed } = INTEGERS[type]!
  const digits = typeof number === 'string' && /^-?\d{1,20}$/.test(number) ? BigInt(number) : whole(number, path)
  const bits = BigInt(bytes * 8)
  const low = signed ? -(1n << (bits - 1n)) : 0n
  const high = signed ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n
  if (digits < low || digits > high) throw new FieldError(path, 'range')
  return Buffer.from(
    BigInt.asUintN(bytes * 8, digits)
      .toString(16)
      .padStart(bytes * 2, '0'),
    'hex',
  )
}

function whole(value: unknown, path: string): bigint {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new FieldError(path, 'number')
  return BigInt(Math.round(value))
}

/** be ABCD, le DCBA, cdab words swapped, badc bytes swapped in words. */
function ordered(bytes: Buffer, order: string): Buffer {
  if (order === 'be') return bytes
  if (order === 'le') return bytes.reverse()
  const words = Array.from({ length: Math.ceil(bytes.length / 2) }, (_, i) => bytes.subarray(i * 2, i * 2 + 2))
  if (order === 'cdab') return Buffer.concat(words.reverse())
  return Buffer.concat(words.map(word => Buffer.from(word).reverse()))
}

function bcd(value: unknown, bytes: number, path: string): Buffer {
  const digits = typeof value === 'string' ? value : String(whole(value, path))
  if (!/^\d+$/.test(digits) || digits.length > bytes * 2) throw new FieldError(path, 'range')
  return Buffer.from(digits.padStart(bytes * 2, '0'), 'hex')
}

function truth(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  if (value === 0 || value === 1) return value === 1
  throw new FieldError(path, 'bool')
}
