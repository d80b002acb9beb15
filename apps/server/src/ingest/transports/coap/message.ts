/** CoAP messages (RFC 7252 §3): four bytes, a token, options in the order of their numbers, 0xFF, a payload. */
export interface CoapMessage {
  type: MessageType
  /** Class and detail in one byte: 0.02 is 0x02, 2.05 is 0x45. */
  code: number
  messageId: number
  token: Buffer
  options: CoapOption[]
  payload: Buffer
}

export interface CoapOption {
  number: number
  value: Buffer
}

export const MessageType = { confirmable: 0, nonConfirmable: 1, acknowledgement: 2, reset: 3 } as const
export type MessageType = (typeof MessageType)[keyof typeof MessageType]

/** Option numbers (RFC 7252 §5.10, 7641 §2, 7959 §2.1). */
export const OptionNumber = {
  ifMatch: 1,
  uriHost: 3,
  etag: 4,
  ifNoneMatch: 5,
  observe: 6,
  uriPort: 7,
  uriPath: 11,
  contentFormat: 12,
  maxAge: 14,
  uriQuery: 15,
  accept: 17,
  block2: 23,
  block1: 27,
  size2: 28,
  size1: 60,
} as const

/** Method and response codes as one byte. */
export const Code = {
  empty: 0,
  get: 0x01,
  post: 0x02,
  put: 0x03,
  created: 0x41,
  changed: 0x44,
  content: 0x45,
  continue: 0x5f,
  badRequest: 0x80,
  unauthorised: 0x81,
  badOption: 0x82,
  forbidden: 0x83,
  notFound: 0x84,
  methodNotAllowed: 0x85,
  incomplete: 0x88,
  tooLarge: 0x8d,
  unprocessable: 0x96,
  tooMany: 0x9d,
  serverError: 0xa0,
  unavailable: 0xa3,
} as const

const VERSION = 1
const MARKER = 0xff
const NOTHING = Buffer.alloc(0)
const MAX_OPTIONS = 64

/** Null for bytes that are no message of this version. The message's buffers are copies. */
export function decodeMessage(bytes: Buffer): CoapMessage | null {
  if (bytes.length < 4) return null
  const first = bytes[0] as number
  const tokenLength = first & 0x0f
  if (first >> 6 !== VERSION || tokenLength > 8 || bytes.length < 4 + tokenLength) return null
  const code = bytes[1] as number
  // An empty message is four bytes long (§4.1).
  if (code === Code.empty && bytes.length !== 4) return null
  const options: CoapOption[] = []
  let at = 4 + tokenLength
  let number = 0
  while (at < bytes.length && bytes[at] !== MARKER) {
    const head = bytes[at++] as number
    const delta = extended(bytes, head >> 4, at)
    if (!delta) return null
    const length = extended(bytes, head & 0x0f, delta.at)
    if (!length || length.at + length.value > bytes.length || options.length === MAX_OPTIONS) return null
    number += delta.value
    options.push({ number, value: Buffer.from(bytes.subarray(length.at, length.at + length.value)) })
    at = length.at + length.value
  }
  // A marker without a payload is a format error (§3).
  if (at < bytes.length && at + 1 === bytes.length) return null
  return {
    type: ((first >> 4) & 0x03) as MessageType,
    code,
    messageId: bytes.readUInt16BE(2),
    token: Buffer.from(bytes.subarray(4, 4 + tokenLength)),
    options,
    payload: at < bytes.length ? Buffer.from(bytes.subarray(at + 1)) : NOTHING,
  }
}

/** 13: one more byte, 14: two more bytes, 15: reserved (§3.1). */
function extended(bytes: Buffer, nibble: number, at: number): { value: number; at: number } | null {
  if (nibble < 13) return { value: nibble, at }
  if (nibble === 13) return at < bytes.length ? { value: (bytes[at] as number) + 13, at: at + 1 } : null
  if (nibble === 14) return at + 1 < bytes.length ? { value: bytes.readUInt16BE(at) + 269, at: at + 2 } : null
  return null
}

export function encodeMessage(message: CoapMessage): Buffer {
  const { type, code, messageId, token, payload } = message
  const head = Buffer.alloc(4)
  head[0] = (VERSION << 6) | (type << 4) | token.length
  head[1] = code
  head.writeUInt16BE(messageId, 2)
  const parts: Buffer[] = [head, token]
  let last = 0
  for (const { number, value } of [...message.options].sort((a, b) => a.number - b.number)) {
    const delta = nibbleOf(number - last)
    const length = nibbleOf(value.length)
    parts.push(Buffer.from([(delta.nibble << 4) | length.nibble]), delta.more, length.more, value)
    last = number
  }
  if (payload.length > 0) parts.push(Buffer.from([MARKER]), payload)
  return Buffer.concat(parts)
}

function nibbleOf(value: number): { nibble: number; more: Buffer } {
  if (value < 13) return { nibble: value, more: NOTHING }
  if (value < 269) return { nibble: 13, more: Buffer.from([value - 13]) }
  const more = Buffer.alloc(2)
  more.writeUInt16BE(value - 269)
  return { nibble: 14, more }
}

/** An option's unsigned integer; absent: undefined. Longer than 4 bytes: NaN. */
export function uintOption(message: Pick<CoapMessage, 'options'>, number: number): number | undefined {
  const option = message.options.find(one => one.number === number)
  if (!option) return undefined
  if (option.value.length > 4) return Number.NaN
  return option.value.length === 0 ? 0 : option.value.readUIntBE(0, option.value.length)
}

/** An unsigned integer in as few bytes as it takes (§3.2). */
export function uintValue(value: number): Buffer {
  if (value === 0) return NOTHING
  const size = value > 0xffffff ? 4 : value > 0xffff ? 3 : value > 0xff ? 2 : 1
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

export interface Block {
  num: number
  more: boolean
  /** Size exponent: blocks of 2^(szx+4) bytes. */
  szx: number
}

/** Reads a Block1 or Block2 option (RFC 7959 §2.2); null when it is absent, false when it is none. */
export function blockOption(message: Pick<CoapMessage, 'options'>, number: number): Block | null | false {
  const value = uintOption(message, number)
  if (value === undefined) return null
  const szx = value & 0x07
  if (!(value <= 0xffffff) || szx === 7) return false
  return { num: value >> 4, more: (value & 0x08) !== 0, szx }
}

export function blockValue({ num, more, szx }: Block): Buffer {
  return uintValue((num << 4) | (more ? 0x08 : 0) | szx)
}

/** The Uri-Path and Uri-Query of a request as one URL. */
export function urlOf({ options }: Pick<CoapMessage, 'options'>): string {
  const text = (number: number) =>
    options.filter(option => option.number === number).map(option => option.value.toString('utf8'))
  const path = text(OptionNumber.uriPath).map(encodeURIComponent).join('/')
  const query = text(OptionNumber.uriQuery)
  return `/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** Critical options (odd numbers) that this server does not know make a request unacceptable (§5.4.1). */
export function unknownCritical({ options }: Pick<CoapMessage, 'options'>): boolean {
  return options.some(({ number }) => number % 2 === 1 && !KNOWN.has(number))
}

const KNOWN = new Set<number>(Object.values(OptionNumber))

const METHODS = new Map<number, string>([
  [Code.get, 'GET'],
  [Code.post, 'POST'],
  // To devices that know only the one, posting and putting a value are the same.
  [Code.put, 'POST'],
])

/** The method in the words of HTTP; undefined: one that no path of ours takes. */
export const methodOf = (message: CoapMessage): string | undefined => METHODS.get(message.code)
