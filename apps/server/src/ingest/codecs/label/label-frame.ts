import type { LabelField, LabelFrame } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import {
  type CodecContext,
  type DecodeFault,
  type DecodeRefusal,
  type FramePart,
  mismatch,
  type Reading,
  unreadable,
} from '../codec.ts'
import { CHECKSUMS } from '../shared/checksums.ts'
import { linear } from '../shared/linear.ts'
import { type Coerce, coercionOf, coercionTo } from '../shared/property-value.ts'
import { type FieldContext, NOTHING, pieceText, readField, sizeOf, Unreadable, writeField } from './field-types.ts'

interface Field {
  readonly spec: LabelField
  readonly context: FieldContext
  readonly coerce: Coerce
}

const DECIMAL_TEXT = ['ascii', 'ascii_hex']

/** One kind of frame: the conditions that name it, where its fields stand, its checksum. */
export class Frame {
  readonly name: string
  private readonly head: Buffer
  private readonly tail: Buffer
  private readonly separator: Buffer | null
  private readonly conditions: readonly { at: number; bytes: Buffer }[]
  private readonly fields: readonly Field[]

  constructor(
    readonly spec: LabelFrame,
    model: CompiledModel,
    zone: number,
    index: number,
  ) {
    this.name = spec.name || `frame ${index + 1}`
    this.head = bytesOf(spec.head)
    this.tail = bytesOf(spec.tail)
    this.separator = spec.separator ? bytesOf(spec.separator) : null
    this.conditions = (spec.when ?? []).map(({ at, hex }) => ({ at, bytes: bytesOf(hex) }))
    this.fields = spec.fields.map(field => ({
      spec: field,
      context: {
        linear: linear(field.scale, field.offset),
        zone,
        asText: field.role === 'device' || this.isText(model, field),
      },
      coerce: this.coercion(model, field),
    }))
  }

  /** Whether the digits of a field are a text: leading zeros and all. */
  private isText(model: CompiledModel, { identifier = '', role }: LabelField): boolean {
    if ((role ?? 'value') !== 'value') return false
    const { event } = this.spec
    const type =
      event === undefined
        ? model.properties.get(identifier)?.dataType.type
        : model.events.get(event)?.params.find(param => param.identifier === identifier)?.dataType.type
    return type === 'string'
  }

  private coercion(model: CompiledModel, { identifier = '', role }: LabelField): Coerce {
    if ((role ?? 'value') !== 'value') return value => value
    const { command, event } = this.spec
    if (command?.kind !== 'service') return coercionOf(model, identifier, event)
    const service = model.services.get(command.identifier ?? '')
    return coercionTo(service?.input.find(param => param.identifier === identifier)?.dataType)
  }

  /** Why the bytes are no frame of this kind; null: they are one. */
  mismatch(frame: Buffer): string | null {
    const { length } = this.spec
    if (length !== undefined && frame.length !== length) return `${frame.length} bytes, not ${length}`
    if (!has(frame, 0, this.head)) return 'head differs'
    if (frame.length < this.head.length + this.tail.length || !has(frame, frame.length - this.tail.length, this.tail))
      return 'tail differs'
    for (const { at, bytes } of this.conditions)
      if (!has(frame, at < 0 ? frame.length + at : at, bytes)) return `bytes at ${at} differ`
    return null
  }

  /**
   * Reads a frame of this kind.
   * @param faults gets the fields that hold no value of their type
   * @param parts gets what stands where
   */
  read(frame: Buffer, faults: DecodeFault[], parts?: FramePart[]): Reading | DecodeRefusal {
    if (parts) this.frameParts(frame, parts)
    const wrongSum = this.checkSum(frame, parts)
    if (wrongSum) return wrongSum
    const reading: Reading = { values: {} }
    if (this.spec.event) reading.event = this.spec.event
    const end = this.bodyEnd(frame)
    const pieces = this.separator ? split(frame, this.head.length, end, this.separator, parts) : null
    for (const field of this.fields) {
      const place = this.placeOf(field.spec, frame, end, pieces)
      const name = field.spec.identifier || field.spec.role || 'value'
      if (!place) {
        if (field.spec.role === 'device') return mismatch(name, 'the frame ends before it')
        faults.push(unreadable(name, 'the frame ends before it'))
        continue
      }
      const value = readField(field.spec, frame.subarray(place.at, place.end), field.context)
      const wrong = this.take(field, value, reading, name)
      parts?.push({
        identifier: (field.spec.role ?? 'value') === 'value' ? field.spec.identifier || null : null,
        role: field.spec.role ?? 'value',
        type: field.spec.type,
        at: place.at,
        length: place.end - place.at,
        value: value === NOTHING || value instanceof Unreadable ? undefined : field.coerce(value),
      })
      // Without the number of its device nobody knows whose values these are.
      if (wrong && field.spec.role === 'device') return { ok: false, ...wrong }
      if (wrong) faults.push(wrong)
    }
    return reading
  }

  private take(field: Field, value: unknown, reading: Reading, name: string): DecodeFault | null {
    const role = field.spec.role ?? 'value'
    if (role === 'ignore' || value === NOTHING) return null
    if (value instanceof Unreadable) {
      if (role === 'time') reading.ts = Number.NaN
      return unreadable(name, value.detail)
    }
    if (role === 'time') {
      if (typeof value !== 'number') return unreadable(name, 'not a time')
      reading.ts = value
    } else if (role === 'device') reading.sub = String(value)
    else if (field.spec.identifier) reading.values[field.spec.identifier] = field.coerce(value)
    return null
  }

  /** Where the fields end: before the tail, and before a checksum that stands in front of it. */
  private bodyEnd(frame: Buffer): number {
    const end = frame.length - this.tail.length
    const { checksum } = this.spec
    if (!checksum) return end
    const at = resolve(checksum.at, frame.length)
    const size = CHECKSUMS[checksum.kind].size * (checksum.text ? 2 : 1)
    return at + size === end || (at > this.head.length && at < end && at + size >= end) ? at : end
  }

  private placeOf(
    spec: LabelField,
    frame: Buffer,
    end: number,
    pieces: readonly [number, number][] | null,
  ): { at: number; end: number } | null {
    const size = sizeOf(spec)
    if (spec.index !== undefined && pieces) {
      const piece = pieces[spec.index]
      if (!piece) return null
      // A place takes the four pieces ddmm.mmmm,N,dddmm.mmmm,E.
      const last = spec.type === 'nmea' ? (pieces[spec.index + 3] ?? pieces.at(-1)!) : piece
      const to = size === null ? last[1] : piece[0] + size
      return to <= last[1] ? { at: piece[0], end: to } : null
    }
    const at = resolve(spec.at ?? 0, frame.length)
    const to = size === null ? Math.max(end, at) : at + size
    return at < 0 || to > frame.length ? null : { at, end: to }
  }

  private checkSum(frame: Buffer, parts?: FramePart[]): DecodeRefusal | null {
    const { checksum } = this.spec
    if (!checksum) return null
    const { size, of } = CHECKSUMS[checksum.kind]
    const at = resolve(checksum.at, frame.length)
    const width = checksum.text ? size * 2 : size
    const from = checksum.from ?? 0
    const to = checksum.to === undefined ? at : resolve(checksum.to, frame.length)
    if (at < 0 || at + width > frame.length || to < from || to > frame.length)
      return mismatch('checksum', 'the frame is too short for it')
    const there = readSum(frame.subarray(at, at + width), checksum.text === true, endianOf(checksum))
    const sum = of(frame, from, to)
    parts?.push({ identifier: null, role: 'checksum', type: checksum.kind, at, length: width, value: there === sum })
    if (there === sum) return null
    const hex = (value: number) => value.toString(16).padStart(size * 2, '0')
    return {
      ok: false,
      reason: 'checksum',
      path: `@${at}`,
      detail: `${checksum.kind} ${there === undefined ? 'unreadable' : hex(there)}, computed ${hex(sum)}`,
    }
  }

  private frameParts(frame: Buffer, parts: FramePart[]): void {
    const add = (role: 'head' | 'tail' | 'condition', at: number, length: number) => {
      if (length > 0) parts.push({ identifier: null, role, type: 'bytes', at, length })
    }
    add('head', 0, this.head.length)
    for (const { at, bytes } of this.conditions) add('condition', resolve(at, frame.length), bytes.length)
    add('tail', frame.length - this.tail.length, this.tail.length)
  }

  /** Names of the values that the frame carries. */
  get identifiers(): string[] {
    return this.fields
      .filter(({ spec }) => (spec.role ?? 'value') === 'value' && spec.identifier)
      .map(({ spec }) => spec.identifier as string)
  }

  /** Builds a frame of this kind with the values; a text is why it cannot be built. */
  build(params: Readonly<Record<string, unknown>>, context: CodecContext): Buffer | string {
    return this.separator ? this.buildText(this.separator, params, context) : this.buildBinary(params, context)
  }

  private valueFor({ spec }: Field, params: Readonly<Record<string, unknown>>, context: CodecContext): unknown {
    switch (spec.role ?? 'value') {
      case 'time':
        return context.at
      case 'device':
        return context.deviceNo
      case 'ignore':
        return undefined
      default:
        return params[spec.identifier ?? '']
    }
  }

  private buildBinary(params: Readonly<Record<string, unknown>>, context: CodecContext): Buffer | string {
    const frame = Buffer.alloc(this.spec.length ?? this.leastLength(params, context))
    this.head.copy(frame)
    this.tail.copy(frame, Math.max(0, frame.length - this.tail.length))
    for (const { at, bytes } of this.conditions) bytes.copy(frame, Math.max(0, resolve(at, frame.length)))
    for (const field of this.fields) {
      const value = this.valueFor(field, params, context)
      if (value === undefined) continue
      const name = field.spec.identifier || field.spec.role || 'value'
      const at = resolve(field.spec.at ?? 0, frame.length)
      const size = sizeOf(field.spec) ?? textSize(field, value)
      if (at < 0 || at + size > frame.length) return `${name} does not fit into ${frame.length} bytes`
      const problem = writeField(field.spec, frame.subarray(at, at + size), value, field.context)
      if (problem) return `${name}: ${problem}`
    }
    return this.sign(frame)
  }

  /** Bytes that a frame needs for everything that stands at a place. */
  private leastLength(params: Readonly<Record<string, unknown>>, context: CodecContext): number {
    let front = this.head.length
    let back = this.tail.length
    const stands = (at: number, size: number) => {
      if (at < 0) back = Math.max(back, -at)
      else front = Math.max(front, at + size)
    }
    for (const { at, bytes } of this.conditions) stands(at, bytes.length)
    for (const field of this.fields)
      stands(field.spec.at ?? 0, sizeOf(field.spec) ?? textSize(field, this.valueFor(field, params, context)))
    const { checksum } = this.spec
    if (checksum) stands(checksum.at, CHECKSUMS[checksum.kind].size * (checksum.text ? 2 : 1))
    return front + back
  }

  private buildText(
    separator: Buffer,
    params: Readonly<Record<string, unknown>>,
    context: CodecContext,
  ): Buffer | string {
    const pieces: string[] = []
    for (const field of this.fields) {
      const { index, identifier, role } = field.spec
      const value = this.valueFor(field, params, context)
      if (index === undefined || value === undefined) continue
      const piece = pieceText(field.spec, value, field.context)
      if ('problem' in piece) return `${identifier || role}: ${piece.problem}`
      pieces[index] = piece.text
    }
    const body = Array.from(pieces, piece => Buffer.from(piece ?? ''))
    const joined = body.flatMap((piece, i) => (i === 0 ? [piece] : [separator, piece]))
    const { checksum } = this.spec
    const room = checksum ? Buffer.alloc(CHECKSUMS[checksum.kind].size * (checksum.text ? 2 : 1)) : Buffer.alloc(0)
    // A sum at the very end stands behind the tail, any other in front of it.
    const behind = checksum !== undefined && -checksum.at === room.length
    const end = behind ? [this.tail, room] : [room, this.tail]
    const frame = Buffer.concat([this.head, ...joined, ...end])
    for (const { at, bytes } of this.conditions)
      if (!has(frame, resolve(at, frame.length), bytes)) return `the frame would not have its own bytes at ${at}`
    return this.sign(frame)
  }

  private sign(frame: Buffer): Buffer | string {
    const { checksum } = this.spec
    if (!checksum) return frame
    const { size, of } = CHECKSUMS[checksum.kind]
    const at = resolve(checksum.at, frame.length)
    const width = checksum.text ? size * 2 : size
    if (at < 0 || at + width > frame.length) return 'no room for the checksum'
    const to = checksum.to === undefined ? at : resolve(checksum.to, frame.length)
    const sum = Buffer.alloc(size)
    sum.writeUIntBE(of(frame, checksum.from ?? 0, Math.max(0, Math.min(to, frame.length))), 0, size)
    if (endianOf(checksum) === 'little') sum.reverse()
    if (checksum.text) frame.write(sum.toString('hex').toUpperCase(), at, 'latin1')
    else sum.copy(frame, at)
    return frame
  }
}

function endianOf({ kind, endian, text }: NonNullable<LabelFrame['checksum']>): 'big' | 'little' {
  return endian ?? (kind === 'crc16_modbus' && !text ? 'little' : 'big')
}

function readSum(bytes: Buffer, text: boolean, endian: 'big' | 'little'): number | undefined {
  let raw = bytes
  if (text) {
    const digits = bytes.toString('latin1')
    if (!/^[0-9a-fA-F]+$/.test(digits)) return undefined
    raw = Buffer.from(digits, 'hex')
  }
  return endian === 'little' ? raw.readUIntLE(0, raw.length) : raw.readUIntBE(0, raw.length)
}

function textSize({ spec, context }: Field, value: unknown): number {
  if (value === undefined) return 0
  if (spec.type === 'hex') return String(value).length >> 1
  if (!DECIMAL_TEXT.includes(spec.type)) return Buffer.byteLength(String(value))
  const piece = pieceText(spec, value, context)
  return 'text' in piece ? piece.text.length : 0
}

/** Pieces between separators as [from, to). */
function split(frame: Buffer, from: number, end: number, separator: Buffer, parts?: FramePart[]): [number, number][] {
  const pieces: [number, number][] = []
  let at = from
  for (;;) {
    const next = frame.indexOf(separator, at)
    if (next === -1 || next + separator.length > end || pieces.length >= 512) break
    pieces.push([at, next])
    parts?.push({ identifier: null, role: 'separator', type: 'bytes', at: next, length: separator.length })
    at = next + separator.length
  }
  pieces.push([at, Math.max(at, end)])
  return pieces
}

function resolve(at: number, length: number): number {
  return at < 0 ? length + at : at
}

function has(frame: Buffer, at: number, bytes: Buffer): boolean {
  if (at < 0 || at + bytes.length > frame.length) return false
  for (let i = 0; i < bytes.length; i++) if (frame[at + i] !== bytes[i]) return false
  return true
}

function bytesOf(hex: string | undefined): Buffer {
  return Buffer.from((hex ?? '').replaceAll(' ', ''), 'hex')
}
