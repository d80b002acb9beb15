import { type Points, packPoints, SegmentType } from './segment-body.ts'
import { packSlots, slotsOf } from './slots.ts'

export const HOUR_MS = 3_600_000
/** Roll-ups pay from so many values of an hour on: of fewer, reading the values is as quick and they take less room. */
const TOTALS_FROM = 60
const SLOTS_FROM = 240

/** One row of `telemetry`: the values of one property of one device within one hour that were sealed together. */
export interface Segment {
  device: number
  property: number
  /** Hours since 1970. */
  hour: number
  /** Of two values of the same time the one in the higher segment counts. */
  segment: number
  n: number
  /** Null for few values, for texts, and where the sum is not finite. */
  min: number | null
  max: number | null
  sum: number | null
  /** Five-minute roll-up; null where the values themselves take less room. */
  slots: Buffer | null
  body: Buffer
}

/** Readings of one property in the order of their arrival, times in epoch ms. */
export interface Readings {
  times: number[]
  values: unknown[]
  /** Null while all are good. */
  quality: number[] | null
}

/**
 * Cuts readings into the segments of their hours. Of several readings with the same time the last one stays.
 * @param key device, property and segment number of what comes out
 */
export function toSegments(key: { device: number; property: number; segment: number }, readings: Readings): Segment[] {
  const sorted = inOrder(readings)
  const { times } = sorted
  const segments: Segment[] = []
  for (let from = 0; from < times.length; ) {
    const hour = Math.floor(times[from]! / HOUR_MS)
    const end = (hour + 1) * HOUR_MS
    let to = from + 1
    while (to < times.length && times[to]! < end) to++
    segments.push(toSegment({ ...key, hour }, pointsOf(sorted, from, to, hour * HOUR_MS)))
    from = to
  }
  return segments
}

/** One segment from points whose times are in order. */
export function toSegment(
  key: { device: number; property: number; hour: number; segment: number },
  points: Points,
): Segment {
  const { offsets, type } = points
  const n = offsets.length
  const segment: Segment = {
    ...key,
    n,
    min: null,
    max: null,
    sum: null,
    slots: null,
    body: packPoints(points),
  }
  if (type === SegmentType.json || n < TOTALS_FROM) return segment
  const values = points.values as number[]
  let [min, max, sum] = [values[0]!, values[0]!, 0]
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
    sum += value
  }
  if (!Number.isFinite(sum)) return segment
  Object.assign(segment, { min, max, sum })
  if (n >= SLOTS_FROM) segment.slots = packSlots(slotsOf(offsets, values))
  return segment
}

/** Times strictly rising; the readings themselves when they already are. */
function inOrder(readings: Readings): Readings {
  const { times, values, quality } = readings
  let ordered = true
  for (let i = 1; i < times.length && ordered; i++) ordered = times[i]! > times[i - 1]!
  if (ordered) return readings
  // Stable, so that among equal times the last to arrive is the last.
  const order = times.map((_, i) => i).sort((a, b) => times[a]! - times[b]!)
  const kept = order.filter((index, i) => i === order.length - 1 || times[index] !== times[order[i + 1]!])
  return {
    times: kept.map(i => times[i]!),
    values: kept.map(i => values[i]),
    quality: quality && kept.map(i => quality[i]!),
  }
}

function pointsOf({ times, values, quality }: Readings, from: number, to: number, base: number): Points {
  const offsets = new Array<number>(to - from)
  for (let i = from; i < to; i++) offsets[i - from] = times[i]! - base
  const part = from === 0 && to === times.length ? values : values.slice(from, to)
  const words = quality?.slice(from, to) ?? null
  return { offsets, ...typed(part), quality: words?.some(word => word !== 0) ? words : null }
}

/** Numbers stay numbers, switches become 0 and 1; a mixture, texts and anything deeper become JSON. */
export function typed(values: readonly unknown[]): Pick<Points, 'type' | 'values'> {
  if (values.every(value => typeof value === 'number')) return { type: SegmentType.number, values: values as number[] }
  if (values.every(value => typeof value === 'boolean'))
    return { type: SegmentType.bool, values: values.map(value => (value ? 1 : 0)) }
  return { type: SegmentType.json, values: values.map(value => JSON.stringify(value)) }
}

/** A value as it was reported. */
export function untyped(type: SegmentType, value: number | string): unknown {
  if (type === SegmentType.number) return value
  return type === SegmentType.bool ? value === 1 : (JSON.parse(value as string) as unknown)
}
