import { type Segment, toSegment, typed, untyped } from './segment.ts'
import { type Points, unpackPoints } from './segment-body.ts'

/** What merging needs of a stored segment. */
export interface StoredSegment {
  segment: number
  body: Buffer
}

/** Offsets → [value, quality] of several segments of one hour; of equal times the higher segment counts. */
export function mergedValues(segments: readonly StoredSegment[]): Map<number, [value: unknown, quality: number]> {
  const merged = new Map<number, [unknown, number]>()
  for (const { body } of [...segments].sort((a, b) => a.segment - b.segment)) {
    const { type, offsets, values, quality } = unpackPoints(body)
    for (let i = 0; i < offsets.length; i++) merged.set(offsets[i]!, [untyped(type, values[i]!), quality?.[i] ?? 0])
  }
  return merged
}

/** The one segment that says what several of one hour say together; it takes the place of the highest. */
export function mergeSegments(
  key: { device: number; property: number; hour: number },
  segments: readonly StoredSegment[],
): Segment {
  const points = [...mergedValues(segments)].sort((a, b) => a[0] - b[0])
  const quality = points.map(([, [, word]]) => word)
  const merged: Points = {
    offsets: points.map(([offset]) => offset),
    ...typed(points.map(([, [value]]) => value)),
    quality: quality.some(word => word !== 0) ? quality : null,
  }
  return toSegment({ ...key, segment: Math.max(...segments.map(({ segment }) => segment)) }, merged)
}
