import { ByteReader, ByteWriter } from './bytes.ts'

/** What the values of a segment are. */
export const SegmentType = { number: 0, bool: 1, json: 2 } as const
export type SegmentType = (typeof SegmentType)[keyof typeof SegmentType]

/** Values of one property within one hour: times strictly rising, arrays in parallel. */
export interface Points {
  type: SegmentType
  /** Milliseconds since the start of the hour. */
  offsets: number[]
  /** Numbers; booleans as 0 and 1; anything else as JSON text. */
  values: number[] | string[]
  /** 0 good, 1 uncertain, 2 bad; null: all good. */
  quality: number[] | null
}

const VERSION = 1
/** Milliseconds of an hour: there cannot be more times. */
const MAX_COUNT = 3_600_000
const TIMES = { steady: 0, changing: 1 } as const
const VALUES = { same: 0, decimal: 1, xor: 2 } as const
/** Decimal places tried; more are rare and cost as much as the general form. */
const MAX_PLACES = 6
const POWERS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
/** Differences of two of these stay within what `signed` can hold. */
const MAX_SCALED = 2 ** 50

const writer = new ByteWriter(16_384)
const float = new Float64Array(1)
const floatBytes = new Uint8Array(float.buffer)

/**
 * Packs points. Steady times cost nothing, others about a byte each; readings with few decimal places one to three
 * bytes; the same value again and again nothing; any other double at most nine. Exact: what comes out is what went in,
 * bit for bit.
 */
export function packPoints({ type, offsets, values, quality }: Points): Buffer {
  writer.reset()
  writer.byte(VERSION)
  writer.byte(type | (quality ? 0x10 : 0))
  writer.varint(offsets.length)
  packTimes(offsets)
  if (quality) for (const word of quality) writer.byte(word)
  if (type === SegmentType.json) packTexts(values as string[])
  else if (type === SegmentType.bool) packBits(values as number[])
  else packNumbers(values as number[])
  return writer.take()
}

/** Unpacks points. @throws when the bytes are not a segment */
export function unpackPoints(body: Buffer): Points {
  const reader = new ByteReader(body)
  if (reader.byte() !== VERSION) throw new Error('a segment of an unknown form')
  const head = reader.byte()
  const type = (head & 0x0f) as SegmentType
  const count = reader.varint()
  if (count > MAX_COUNT) throw new Error('a damaged segment')
  const offsets = unpackTimes(reader, count)
  const quality = head & 0x10 ? Array.from({ length: count }, () => reader.byte()) : null
  const values =
    type === SegmentType.json
      ? unpackTexts(reader, count)
      : type === SegmentType.bool
        ? unpackBits(reader, count)
        : unpackNumbers(reader, count)
  if (!reader.isAtEnd) throw new Error('a damaged segment')
  return { type, offsets, values, quality }
}

/** First and step; when the step changes, how much it changes. */
function packTimes(offsets: number[]): void {
  const { length } = offsets
  const step = length > 1 ? offsets[1]! - offsets[0]! : 0
  let steady = true
  for (let i = 2; i < length && steady; i++) steady = offsets[i]! - offsets[i - 1]! === step
  writer.byte(steady ? TIMES.steady : TIMES.changing)
  writer.varint(offsets[0] ?? 0)
  if (length < 2) return
  writer.varint(step)
  if (steady) return
  let before = step
  for (let i = 2; i < length; i++) {
    const next = offsets[i]! - offsets[i - 1]!
    writer.signed(next - before)
    before = next
  }
}

function unpackTimes(reader: ByteReader, count: number): number[] {
  const steady = reader.byte() === TIMES.steady
  const offsets = new Array<number>(count)
  let at = reader.varint()
  if (count > 0) offsets[0] = at
  if (count < 2) return offsets
  let step = reader.varint()
  for (let i = 1; i < count; i++) {
    if (i > 1 && !steady) step += reader.signed()
    at += step
    offsets[i] = at
  }
  return offsets
}

function packNumbers(values: number[]): void {
  const first = values[0] ?? 0
  if (values.every(value => value === first)) {
    writer.byte(VALUES.same)
    writer.double(first)
    return
  }
  const places = decimalPlaces(values)
  if (places < 0) packXor(values)
  else packDecimals(values, places)
}

function packDecimals(values: number[], places: number): void {
  writer.byte(VALUES.decimal)
  writer.byte(places)
  const power = POWERS[places]!
  let before = 0
  for (const value of values) {
    const scaled = Math.round(value * power)
    writer.signed(scaled - before)
    before = scaled
  }
}

/** The fewest decimal places in which every value is exact, or -1. */
function decimalPlaces(values: number[]): number {
  let places = 0
  let power = 1
  for (const value of values) {
    for (;;) {
      const scaled = Math.round(value * power)
      if (scaled > MAX_SCALED || scaled < -MAX_SCALED) return -1
      if (scaled / power === value) break
      if (++places > MAX_PLACES) return -1
      power = POWERS[places]!
    }
  }
  // More places for a later value may have pushed an earlier one over the bound.
  for (const value of values) {
    const scaled = Math.round(value * power)
    if (scaled > MAX_SCALED || scaled < -MAX_SCALED || scaled / power !== value) return -1
  }
  return places
}

/** Each double against the one before: the bytes that differ, with how many equal ones lead and trail. */
function packXor(values: number[]): void {
  writer.byte(VALUES.xor)
  const before = new Uint8Array(8)
  const difference = new Uint8Array(8)
  for (const value of values) {
    float[0] = value
    let from = 8
    let to = 0
    for (let i = 0; i < 8; i++) {
      difference[i] = floatBytes[i]! ^ before[i]!
      before[i] = floatBytes[i]!
      if (difference[i] === 0) continue
      if (from === 8) from = i
      to = i + 1
    }
    if (to === 0) from = 0
    writer.byte((from << 4) | (to - from))
    writer.raw(difference, from, to)
  }
}

function unpackNumbers(reader: ByteReader, count: number): number[] {
  const values = new Array<number>(count)
  const mode = reader.byte()
  if (mode === VALUES.same) return values.fill(reader.double())
  if (mode === VALUES.decimal) {
    const power = POWERS[reader.byte()]!
    let scaled = 0
    for (let i = 0; i < count; i++) {
      scaled += reader.signed()
      values[i] = scaled / power
    }
    return values
  }
  const difference = new Uint8Array(8)
  floatBytes.fill(0)
  for (let i = 0; i < count; i++) {
    const head = reader.byte()
    difference.fill(0)
    reader.raw(difference, head >> 4, head & 0x0f)
    for (let b = 0; b < 8; b++) floatBytes[b]! ^= difference[b]!
    values[i] = float[0]!
  }
  return values
}

function packBits(values: number[]): void {
  for (let i = 0; i < values.length; i += 8) {
    let bits = 0
    for (let b = 0; b < 8; b++) if (values[i + b] === 1) bits |= 1 << b
    writer.byte(bits)
  }
}

function unpackBits(reader: ByteReader, count: number): number[] {
  const values = new Array<number>(count)
  let bits = 0
  for (let i = 0; i < count; i++) {
    if (i % 8 === 0) bits = reader.byte()
    values[i] = (bits >> (i % 8)) & 1
  }
  return values
}

/** JSON text is never empty, so an empty one says: the same as before. */
function packTexts(values: string[]): void {
  let before = ''
  for (const value of values) {
    writer.text(value === before ? '' : value)
    before = value
  }
}

function unpackTexts(reader: ByteReader, count: number): string[] {
  const values = new Array<string>(count)
  let before = ''
  for (let i = 0; i < count; i++) {
    before = reader.text() || before
    values[i] = before
  }
  return values
}
