import type { Place } from '../../../ui/map/projection.ts'

/** Where a device was, and when (epoch ms). */
export interface TrackPoint extends Place {
  ts: number
}

/** Positions out of rows of `telemetry.raw` ([ts, value], oldest first); values that are none are left out. */
export function trackOf(rows: readonly (readonly unknown[])[]): TrackPoint[] {
  return rows.flatMap(([ts, value]) => {
    const { lng, lat } = (value ?? {}) as { lng?: unknown; lat?: unknown }
    const isPlace = typeof lng === 'number' && typeof lat === 'number' && Math.abs(lng) <= 180 && Math.abs(lat) <= 90
    return typeof ts === 'number' && isPlace ? [{ ts, lng, lat }] : []
  })
}

/** Index of the last point at or before a moment; 0 before the first. Points are oldest first. */
export function indexAt(points: readonly TrackPoint[], ts: number): number {
  let [low, high] = [0, points.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (points[middle]!.ts <= ts) low = middle
    else high = middle - 1
  }
  return low
}

/** Nothing is made up over a pause as long as this. */
const PAUSE_MS = 1_800_000

/** Where the device was at a moment: between two reports on the line between them, unless they are half an hour apart. */
export function placeOnTrack(points: readonly TrackPoint[], ts: number): Place {
  const at = indexAt(points, ts)
  const [from, to] = [points[at]!, points[at + 1]]
  if (!to || ts <= from.ts || to.ts - from.ts > PAUSE_MS || Math.abs(to.lng - from.lng) > 180) return from
  const part = (ts - from.ts) / (to.ts - from.ts)
  return { lng: from.lng + (to.lng - from.lng) * part, lat: from.lat + (to.lat - from.lat) * part }
}

/** The line as an SVG path: points of the same pixel are drawn once, and it breaks off at 180 degrees. */
export function pathOf(points: readonly Place[], pixel: (place: Place) => [number, number]): string {
  let path = ''
  let before: readonly [number, number, lng: number] | null = null
  for (const place of points) {
    const [x, y] = pixel(place)
    if (before && Math.abs(place.lng - before[2]) > 180) before = null
    if (before && Math.abs(x - before[0]) < 1 && Math.abs(y - before[1]) < 1) continue
    path += `${before ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
    before = [x, y, place.lng]
  }
  return path
}
