import type {
  FieldType,
  FormatBody,
  LabelChecksum,
  LabelField,
  LabelFrame,
} from '@thingwright/contracts/format-schemas'
import type { Draft, DraftField, Guess } from './draft-types.ts'
import words from './draft-words.json' with { type: 'json' }
import { endianOf, type FieldWords, readField } from './read-field.ts'

const POSITIONS = words.positions.map(pattern => new RegExp(pattern, 'iu'))
const ROW = new RegExp(words.rowPosition, 'iu')
const ROW_LENGTH = new RegExp(words.rowLength, 'iu')
const HEADER_POSITION = new RegExp(words.headerPosition, 'iu')
const HEADER_NAME = new RegExp(words.headerName, 'iu')
const HEADER_LENGTH = new RegExp(words.headerLength, 'iu')
const SEQUENTIAL = new RegExp(words.sequential, 'giu')
const BIT = new RegExp(words.bit, 'giu')
const CHECKSUMS = words.checksums.map(([kind, endian, pattern]) => ({
  kind: kind as LabelChecksum['kind'],
  endian: endian as 'big' | 'little',
  is: new RegExp(pattern!, 'iu'),
}))
const CHECKSUM_SIZE: Record<LabelChecksum['kind'], number> = {
  sum8: 1,
  xor8: 1,
  crc16_modbus: 2,
  crc16_ccitt: 2,
  crc32: 4,
}

export interface BitName {
  bit: number
  bits: number
  name: string
}
/** A line of the manual about some bytes, as they are counted there. */
export interface Placed {
  from: number
  to: number
  text: string
  field: FieldWords
  bits: BitName[]
}

export interface LayoutOptions {
  /** Length of the pasted frames in bytes, where they all have one. */
  frameLength: number | null
  /** Byte order where the manual names none. */
  endian: 'big' | 'little'
}

/** Lines that say what stands at which bytes; fewer than two are no layout. */
export function placedIn(lines: readonly string[]): Placed[] {
  const sequential = sequentialIn(lines)
  if (sequential.length >= 3) return sequential
  const header = lines.findIndex(line => HEADER_POSITION.test(line) && HEADER_NAME.test(line))
  const lengths = header >= 0 && columnOf(lines[header]!, HEADER_LENGTH) === 1
  const placed: Placed[] = []
  lines.forEach((line, i) => {
    if (i === header) return
    const found = positionIn(line, header >= 0 && i > header, lengths)
    if (found) {
      const bits = bitsIn(found.rest)
      const words = bits.length > 0 ? found.rest.replaceAll(BIT, ' | ') : found.rest
      placed.push({ from: found.from, to: found.to, text: line, field: readField(words), bits })
    } else {
      // "bit0: water" below the byte that it belongs to.
      const bits = bitsIn(line)
      if (bits.length > 0) placed.at(-1)?.bits.push(...bits)
    }
  })
  return placed
}

function columnOf(header: string, name: RegExp): number {
  return header
    .split(/[|,\uff0c\t]|\s{2,}|\s/u)
    .filter(cell => cell.trim() !== '')
    .findIndex(cell => name.test(cell))
}

function positionIn(line: string, inTable: boolean, lengths: boolean) {
  const row = inTable ? ROW.exec(line) : null
  if (row?.groups) {
    const rest = line.slice(row[0].length)
    const from = Number(row.groups.from)
    const length = lengths ? ROW_LENGTH.exec(rest) : null
    if (length?.groups) return { from, to: from + Number(length.groups.length) - 1, rest: rest.slice(length[0].length) }
    return { from, to: Number(row.groups.to ?? from), rest }
  }
  for (const pattern of POSITIONS) {
    const found = pattern.exec(line)
    if (!found?.groups) continue
    const from = Number(found.groups.from)
    const to = Number(found.groups.to ?? from)
    if (to < from || to - from > 255) continue
    return { from, to, rest: `${line.slice(0, found.index)} ${line.slice(found.index + found[0].length)}` }
  }
  return null
}

/** `address (1 byte) + temperature (2 bytes, signed) + CRC (2 bytes)`: each stands behind the one before. */
function sequentialIn(lines: readonly string[]): Placed[] {
  const placed: Placed[] = []
  let at = 0
  for (const line of lines)
    for (const { groups } of line.matchAll(SEQUENTIAL)) {
      const length = Number(groups!.length)
      if (length === 0) continue
      const text = `${groups!.name} | ${groups!.more ?? ''}`
      placed.push({ from: at, to: at + length - 1, text, field: readField(text), bits: [] })
      at += length
    }
  return placed
}

function bitsIn(text: string): BitName[] {
  return [...text.matchAll(BIT)].flatMap(({ groups }) => {
    const name = readField(groups!.name ?? '').name || (groups!.name ?? '').trim()
    const [a, b] = [Number(groups!.from), Number(groups!.to ?? groups!.from)]
    return name === '' ? [] : [{ bit: Math.min(a, b), bits: Math.abs(a - b) + 1, name: name.slice(0, 64) }]
  })
}

interface Part {
  field: DraftField
  label: LabelField
}

/** A frame of marked bytes out of the lines of a manual; null: they place nothing that has a value. */
export function draftBytes(lines: readonly string[], options: LayoutOptions): Draft | null {
  const placed = placedIn(lines)
  if (placed.length < 2) return null
  const guesses: Guess[] = []
  const base = baseOf(placed, options, guesses)
  const said = lines.map(endianOf).find(endian => endian !== null) ?? null
  const endian = said ?? options.endian
  if (!said && placed.some(one => one.to > one.from && one.field.role === null))
    guesses.push({ key: endian === 'big' ? 'guessBig' : 'guessLittle' })
  const frame: LabelFrame = { fields: [] }
  const when: { at: number; hex: string }[] = []
  const parts: Part[] = []
  const times: LabelField[] = []
  for (const one of placed) {
    const at = one.from - base
    const { role, constant } = one.field
    if (role === 'head') {
      if (constant && at === 0) frame.head = constant
      else if (constant) when.push({ at, hex: constant })
    } else if (role === 'tail') {
      if (constant) frame.tail = constant
    } else if (role === 'checksum') frame.checksum = checksumOf(one, at, placed, base)
    else if (role === 'when' && constant) when.push({ at, hex: constant })
    else if (role === 'time' && one.to - one.from === 3)
      times.push({ role: 'time', type: 'time_s', at, endian: one.field.endian ?? endian })
    else if (one.bits.length > 0) parts.push(...bitParts(one, at))
    else if (role !== 'when' && role !== 'address' && role !== 'ignore') {
      const part = valuePart(one, at, endian, guesses)
      if (part) parts.push(part)
    }
  }
  if (parts.length === 0) return null
  if (when.length > 0) frame.when = when
  return {
    kind: 'label',
    fields: parts.map(part => part.field),
    guesses,
    build(identifiers): FormatBody {
      const fields = parts.map(({ label }, i): LabelField => {
        const identifier = identifiers[i]
        return identifier ? { ...label, identifier } : { ...label, role: 'ignore' }
      })
      return { kind: 'label', frames: [{ ...frame, fields: [...fields, ...times] }] }
    },
  }
}

/** Whether the manual counts bytes from 0 or from 1: by what it says, then by the length of the frames. */
function baseOf(placed: readonly Placed[], { frameLength }: LayoutOptions, guesses: Guess[]): 0 | 1 {
  const first = Math.min(...placed.map(one => one.from))
  const last = Math.max(...placed.map(one => one.to))
  if (first === 0) return 0
  if (frameLength !== null && last === frameLength) return 1
  if (frameLength !== null && last === frameLength - 1) return 0
  const base = first === 1 ? 1 : 0
  if (first === 1 || placed.some(one => /\u7b2c/.test(one.text))) {
    guesses.push({ key: 'guessFromOne' })
    return 1
  }
  guesses.push({ key: 'guessFromZero' })
  return base
}

function checksumOf(one: Placed, at: number, placed: readonly Placed[], base: number): LabelChecksum {
  const size = one.to - one.from + 1
  const found =
    CHECKSUMS.find(({ kind, is }) => CHECKSUM_SIZE[kind] === size && is.test(one.text)) ??
    CHECKSUMS.find(({ kind }) => CHECKSUM_SIZE[kind] === size) ??
    CHECKSUMS[0]!
  // From behind where nothing of unknown length follows: frames may be longer than the manual's example.
  const last = Math.max(...placed.map(other => other.to)) - base
  return { kind: found.kind, at: at - last - 1, endian: one.field.endian ?? found.endian }
}

function whereOf(one: Placed): string {
  return one.from === one.to ? String(one.from) : `${one.from}\u2013${one.to}`
}

function bitParts(one: Placed, at: number): Part[] {
  const length = one.to - one.from + 1
  return one.bits.map(({ bit, bits, name }) => ({
    field: { name, unit: null, value: bits === 1 ? 'bool' : 'number', where: `${whereOf(one)}.${bit}`, at, bit },
    label: {
      type: bits === 1 ? 'bit' : 'bits',
      at,
      ...(length > 1 ? { length } : {}),
      bit,
      ...(bits > 1 ? { bits } : {}),
    },
  }))
}

function valuePart(one: Placed, at: number, endian: 'big' | 'little', guesses: Guess[]): Part | null {
  const length = one.to - one.from + 1
  const { field } = one
  const type = typeOf(field, length)
  if (!type) return null
  const signedGuess = field.type === null && (type === 'uint16' || type === 'uint32') && field.unit === '\u2103'
  const final: FieldType = signedGuess ? (type === 'uint16' ? 'int16' : 'int32') : type
  if (signedGuess) guesses.push({ key: 'guessSigned', values: { name: field.name } })
  const number = final !== 'string' && final !== 'hex'
  const wide = length > 1 && number && final !== 'bcd' && final !== 'ascii'
  return {
    field: { name: field.name, unit: field.unit, value: number ? 'number' : 'text', where: whereOf(one), at },
    label: {
      type: final,
      at,
      ...(final === 'bcd' || final === 'ascii' || final === 'string' || final === 'hex' ? { length } : {}),
      ...(wide ? { endian: field.endian ?? endian } : {}),
      ...(number && field.scale !== null && field.scale !== 1 ? { scale: field.scale } : {}),
      ...(number && field.offset !== null && field.offset !== 0 ? { offset: field.offset } : {}),
    },
  }
}

/** The type of a value of so many bytes; null: there is none of that width. */
function typeOf(field: FieldWords, length: number): FieldType | null {
  if (field.type === 'float64' || (field.type === 'float32' && length === 8)) return length === 8 ? 'float64' : null
  if (field.type === 'float32') return length === 4 ? 'float32' : null
  if (field.type === 'bcd') return 'bcd'
  if (field.type === 'ascii') return field.unit || field.scale ? 'ascii' : 'string'
  const bits = length * 8
  if ([8, 16, 24, 32, 64].includes(bits)) return `${field.type === 'int' ? 'int' : 'uint'}${bits}` as FieldType
  return length > 8 ? 'hex' : null
}
