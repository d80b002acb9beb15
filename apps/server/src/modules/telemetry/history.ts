import type { SegmentRow, StoredHistory } from './history.repo.ts'
import { mergedValues } from './segments/merge-segments.ts'
import { HOUR_MS } from './segments/segment.ts'
import { SegmentType, unpackPoints } from './segments/segment-body.ts'
import { SLOT_MS, unpackSlots } from './segments/slots.ts'

/** One value as it was reported. */
export interface Point {
  ts: number
  value: unknown
  /** 0 good, 1 uncertain, 2 bad. */
  quality: number
}

/** Sum and count rather than an average, so that buckets can be added up. */
export interface Bucket {
  ts: number
  n: number
  sum: number
  min: number
  max: number
}

interface Property {
  identifier: string
  num: number | undefined
}

/** Number of values, as far as roll-ups tell; times that stand twice count twice. */
export function countOf(history: StoredHistory, property: Property): number {
  let count = 0
  for (const segment of history.segments) if (segment.property === property.num) count += segment.n
  for (const { values } of history.tail) if (Object.hasOwn(values, property.identifier)) count++
  return count
}

/** Every time once, in order. The history must have been read with the values themselves. */
export function pointsOf(
  history: StoredHistory,
  property: Property,
  { from, to }: { from: number; to: number },
): Point[] {
  const points: Point[] = []
  const open = tailByHour(history, property)
  for (const { hour, segments } of hoursOf(history, property)) {
    const values = valuesOf(segments, open.get(hour))
    open.delete(hour)
    for (const [offset, value, quality] of values) points.push({ ts: hour * HOUR_MS + offset, value, quality })
  }
  for (const [hour, tail] of open)
    for (const [offset, value, quality] of tail.values()) points.push({ ts: hour * HOUR_MS + offset, value, quality })
  // A device that resends or whose clock jumps; everything else is in order already.
  return inOrder(points).filter(({ ts }) => ts >= from && ts < to)
}

/** Numbers of each slot or hour. Hours without their values are taken from their roll-ups. */
export function bucketsOf(history: StoredHistory, property: Property): Bucket[] {
  const buckets: Bucket[] = []
  const open = tailByHour(history, property)
  const add = (hour: number, values: Iterable<OffsetValue>) => {
    for (const [offset, value] of values) {
      const number = asNumber(value)
      if (number !== null) buckets.push({ ts: hour * HOUR_MS + offset, n: 1, sum: number, min: number, max: number })
    }
  }
  for (const { hour, segments } of hoursOf(history, property)) {
    const [first] = segments
    if (first!.body !== null) add(hour, valuesOf(segments, open.get(hour)))
    else if (first!.slots !== null)
      for (const { slot, ...numbers } of unpackSlots(first!.slots))
        buckets.push({ ts: hour * HOUR_MS + slot * SLOT_MS, ...numbers })
    else buckets.push({ ts: hour * HOUR_MS, n: first!.n, sum: first!.vsum!, min: first!.vmin!, max: first!.vmax! })
    open.delete(hour)
  }
  for (const [hour, values] of open) add(hour, values.values())
  return buckets
}

/** What a chart can draw of a value: numbers, 64-bit ones too, and switches as 0 and 1. */
export function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  // Beyond 2^53 numbers travel as digits.
  return typeof value === 'string' && /^-?\d{16,19}$/.test(value) ? Number(value) : null
}

function hoursOf({ segments }: StoredHistory, property: Property): { hour: number; segments: SegmentRow[] }[] {
  const hours: { hour: number; segments: SegmentRow[] }[] = []
  for (const segment of segments) {
    if (segment.property !== property.num) continue
    const last = hours.at(-1)
    if (last?.hour === segment.hour) last.segments.push(segment)
    else hours.push({ hour: segment.hour, segments: [segment] })
  }
  return hours
}

/** Milliseconds since the start of the hour, the value, its quality. */
type OffsetValue = [offset: number, value: unknown, quality: number]

/** Values of one hour, unsealed ones over sealed ones. */
function valuesOf(
  segments: readonly SegmentRow[],
  tail: ReadonlyMap<number, OffsetValue> | undefined,
): Iterable<OffsetValue> {
  if (segments.length === 1 && !tail) return plainValues(segments[0]!.body!)
  const merged = new Map<number, OffsetValue>()
  const stored = segments.map(({ segment, body }) => ({ segment, body: body! }))
  for (const [offset, [value, quality]] of mergedValues(stored)) merged.set(offset, [offset, value, quality])
  for (const [offset, value] of tail ?? []) merged.set(offset, value)
  return merged.values()
}

function plainValues(body: Buffer): OffsetValue[] {
  const { type, offsets, values, quality } = unpackPoints(body)
  const points = new Array<OffsetValue>(offsets.length)
  for (let i = 0; i < offsets.length; i++) {
    const value = values[i]!
    points[i] = [
      offsets[i]!,
      type === SegmentType.number ? value : type === SegmentType.bool ? value === 1 : JSON.parse(value as string),
      quality?.[i] ?? 0,
    ]
  }
  return points
}

function tailByHour({ tail }: StoredHistory, { identifier }: Property): Map<number, Map<number, OffsetValue>> {
  const hours = new Map<number, Map<number, OffsetValue>>()
  for (const { ts, quality, values } of tail) {
    if (!Object.hasOwn(values, identifier)) continue
    const hour = Math.floor(ts / HOUR_MS)
    const known = hours.get(hour) ?? new Map<number, OffsetValue>()
    hours.set(hour, known)
    const offset = ts - hour * HOUR_MS
    known.set(offset, [offset, values[identifier], quality])
  }
  return hours
}

function inOrder(points: Point[]): Point[] {
  for (let i = 1; i < points.length; i++)
    if (points[i]!.ts < points[i - 1]!.ts) return points.sort((a, b) => a.ts - b.ts)
  return points
}
