import { isUtf8 } from 'node:buffer'
import {
  type CodecContext,
  type DecodeFault,
  type DecodeResult,
  type EncodeResult,
  type FramePart,
  mismatch,
  notEncodable,
  type Reading,
  readBeside,
  unreadable,
} from '../codec.ts'
import type { Coerce } from '../shared/property-value.ts'
import type { LabelToken } from './label-grammar.ts'

/** The field that a data element fills; null: its text is skipped. */
export type SequenceField = { identifier: string; coerce: Coerce } | null

/** Frames one behind the other that are read from one payload at most. */
const MOST_FRAMES = 1_000

/**
 * A label as it stands: literals and data, one after the other. A payload may hold several frames one behind the other
 * when there is a tail to tell them apart.
 */
export class LabelSequence {
  private readonly tailAt: number

  constructor(
    private readonly tokens: readonly LabelToken[],
    /** One per data element, in their order. */
    private readonly fields: readonly SequenceField[],
  ) {
    this.tailAt = tokens.findIndex(token => token.kind === 'tail')
  }

  decode(frame: Buffer): DecodeResult {
    const readings: Reading[] = []
    const faults: DecodeFault[] = []
    let at = 0
    do {
      const values: Record<string, unknown> = {}
      const end = this.read(frame, at, values, faults)
      if (typeof end !== 'number') {
        // Frames before it were whole.
        faults.push({ reason: end.reason, path: end.path, detail: end.detail })
        return readBeside(readings, faults)
      }
      readings.push({ values })
      at = this.next(frame, end)
    } while (at < frame.length && readings.length < MOST_FRAMES)
    if (at < frame.length) faults.push(unreadable(`@${at}`, 'too many frames in one payload'))
    return readBeside(readings, faults)
  }

  explain(frame: Buffer): FramePart[] {
    const parts: FramePart[] = []
    this.read(frame, 0, {}, [], parts)
    return parts
  }

  /** Reads one frame; gives back where it ended. */
  private read(
    frame: Buffer,
    from: number,
    values: Record<string, unknown>,
    faults: DecodeFault[],
    parts?: FramePart[],
  ): number | ReturnType<typeof mismatch> {
    let at = from
    let data = 0
    for (let i = 0; i < this.tokens.length; i++) {
      const token = this.tokens[i]!
      if (token.kind !== 'data') {
        if (!startsWith(frame, at, token.bytes)) {
          // Transports that frame by line ends hand frames on without them.
          if (token.kind === 'tail' && at === frame.length && token.bytes.every(byte => byte === 13 || byte === 10))
            return at
          return mismatch(`@${at}`, `${token.kind} ${shown(token.bytes)} is missing`)
        }
        parts?.push({ identifier: null, role: token.kind, type: 'bytes', at, length: token.bytes.length })
        at += token.bytes.length
        continue
      }
      const end = this.endOfData(frame, at, i, token.width)
      if (end === -1) {
        const next = this.tokens[i + 1] as LabelToken & { bytes?: Buffer }
        return mismatch(
          `D${data + 1}`,
          next?.bytes ? `${next.kind} ${shown(next.bytes)} is missing after it` : 'ends too early',
        )
      }
      const field = this.fields[data++] ?? null
      const text = frame.toString('utf8', at, end).trim()
      const broken = field !== null && text.includes('\uFFFD') && !isUtf8(frame.subarray(at, end))
      if (broken) faults.push(unreadable(field.identifier, 'not UTF-8'))
      let value: unknown
      if (field && text !== '' && !broken) {
        value = field.coerce(text)
        values[field.identifier] = value
      }
      parts?.push({
        identifier: field?.identifier ?? null,
        role: field ? 'value' : 'ignore',
        type: 'ascii',
        at,
        length: end - at,
        value: field ? value : text,
      })
      at = end
    }
    if (this.tailAt === -1) {
      const rest = this.next(frame, at)
      if (rest < frame.length) return mismatch(`@${at}`, 'more bytes than the label has')
      return frame.length
    }
    return at
  }

  /** Past line ends, blanks and NUL, but not past a head that consists of them. */
  private next(frame: Buffer, from: number): number {
    const [first] = this.tokens
    let at = from
    while (at < frame.length && frame[at]! <= 0x20 && !(first?.kind === 'head' && startsWith(frame, at, first.bytes)))
      at++
    return at
  }

  private endOfData(frame: Buffer, at: number, i: number, width: number | null): number {
    if (width !== null) return at + width <= frame.length ? at + width : -1
    const next = this.tokens[i + 1]
    if (!next || next.kind === 'data') return frame.length
    const end = frame.indexOf(next.bytes, at)
    if (end === -1 && next.kind === 'tail' && next.bytes.every(byte => byte === 13 || byte === 10)) return frame.length
    return end
  }

  encode(params: Readonly<Record<string, unknown>>, _context: CodecContext): EncodeResult {
    const wanted = new Set(Object.keys(params))
    const parts: Buffer[] = []
    let data = 0
    for (const token of this.tokens) {
      if (token.kind !== 'data') {
        parts.push(token.bytes)
        continue
      }
      const field = this.fields[data++]
      if (!field) return notEncodable(`data field ${data} belongs to no property, so it cannot be written`)
      if (!Object.hasOwn(params, field.identifier)) return notEncodable(`the label needs ${field.identifier} as well`)
      const value = params[field.identifier]
      if (typeof value === 'object') return notEncodable(`${field.identifier} cannot be written as text`)
      const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
      const bytes = Buffer.from(token.width === null ? text : text.padStart(token.width, '0'))
      if (token.width !== null && bytes.length !== token.width)
        return notEncodable(`${field.identifier} is longer than ${token.width} characters`)
      parts.push(bytes)
      wanted.delete(field.identifier)
    }
    const [left] = wanted
    return left === undefined ? { ok: true, frames: [Buffer.concat(parts)] } : notEncodable(`the label has no ${left}`)
  }
}

function startsWith(frame: Buffer, at: number, bytes: Buffer): boolean {
  if (at + bytes.length > frame.length) return false
  for (let i = 0; i < bytes.length; i++) if (frame[at + i] !== bytes[i]) return false
  return true
}

/** A literal for people: text when it is printable, else bytes. */
function shown(bytes: Buffer): string {
  return bytes.every(byte => byte > 0x20 && byte < 0x7f) ? `"${bytes.toString()}"` : `0x${bytes.toString('hex')}`
}
