import type { FenceShape } from '@thingwright/contracts/geofences.contract'
import type { Box, Place } from '../../../../ui/map/projection.ts'

const EARTH_M = 6_371_008.8
const RADIANS = Math.PI / 180
const RING_POINTS = 72

/** Metres between two places on the sphere. */
export function metresBetween(a: Place, b: Place): number {
  const [dLat, dLng] = [(b.lat - a.lat) * RADIANS, (b.lng - a.lng) * RADIANS]
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * Math.sin(dLng / 2) ** 2
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** The place so many metres from another one in a direction (0 north, clockwise, radians). */
export function placeFrom(centre: Place, metres: number, direction: number): Place {
  const angle = metres / EARTH_M
  const lat = centre.lat * RADIANS
  const to = Math.asin(Math.sin(lat) * Math.cos(angle) + Math.cos(lat) * Math.sin(angle) * Math.cos(direction))
  const by = Math.atan2(
    Math.sin(direction) * Math.sin(angle) * Math.cos(lat),
    Math.cos(angle) - Math.sin(lat) * Math.sin(to),
  )
  return { lng: centre.lng + by / RADIANS, lat: to / RADIANS }
}

/** The edge of a shape, with longitudes that follow one another across 180 degrees; empty while it is none. */
export function ringOf({ kind, centre, radius, points = [] }: FenceShape): Place[] {
  if (kind === 'circle')
    return centre && radius && radius > 0
      ? Array.from({ length: RING_POINTS }, (_, i) => placeFrom(centre, radius, (2 * Math.PI * i) / RING_POINTS))
      : []
  let lng = points[0]?.lng ?? 0
  return points.map(point => {
    lng += point.lng - lng - 360 * Math.round((point.lng - lng) / 360)
    return { lng, lat: point.lat }
  })
}

/** The part of the map that holds a shape. */
export function boundsOfShape(shape: FenceShape): Box {
  const ring = ringOf(shape)
  const [lngs, lats] = [ring.map(({ lng }) => lng), ring.map(({ lat }) => lat)]
  return { west: Math.min(...lngs), east: Math.max(...lngs), south: Math.min(...lats), north: Math.max(...lats) }
}

/** The ring as an SVG path, on the world of the window and on those beside it. */
export function ringPath(ring: readonly Place[], pixel: (place: Place) => [number, number]): string {
  return [-360, 0, 360]
    .map(by => {
      const at = ring.map(({ lng, lat }) => pixel({ lng: lng + by, lat }))
      return at.length < 2 ? '' : `M${at.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z`
    })
    .join('')
}

/** What the pointer does to a shape that is being drawn. */
export interface Press {
  what: 'down' | 'move' | 'up'
  place: Place
  /** Pixels from the left upper corner. */
  at: readonly [x: number, y: number]
  pixel(place: Place): [x: number, y: number]
}

/** A shape that is being drawn, and what of it the pointer holds. */
export interface Drawing {
  shape: FenceShape
  held: 'centre' | 'edge' | number | null
  /** It was a fence before: a new point belongs between its neighbours, not at the end. */
  closed: boolean
}

export const beginDrawing = (kind: FenceShape['kind']): Drawing => ({
  shape: kind === 'circle' ? { kind } : { kind, points: [] },
  held: null,
  closed: false,
})

/** A point is taken hold of from so many pixels away. */
const REACH = 12

const digits = (value: number) => Number(value.toFixed(6))
const plain = ({ lng, lat }: Place): Place => ({ lng: digits(lng), lat: digits(lat) })

/** The drawing after what the pointer did. */
export function drawn(drawing: Drawing, press: Press): Drawing {
  if (press.what === 'up') return drawing.held === null ? drawing : { ...drawing, held: null }
  return drawing.shape.kind === 'circle' ? circleDrawn(drawing, press) : polygonDrawn(drawing, press)
}

function circleDrawn(drawing: Drawing, { what, place, at, pixel }: Press): Drawing {
  const { shape, held } = drawing
  if (what === 'down') {
    if (shape.centre && near(pixel(shape.centre), at)) return { ...drawing, held: 'centre' }
    const radius = shape.radius ?? 0
    const onEdge = shape.centre && Math.abs(distance(pixel(shape.centre), at) - edgePixels(shape, pixel)) <= REACH
    if (onEdge && radius > 0) return { ...drawing, held: 'edge' }
    return { ...drawing, shape: { kind: 'circle', centre: plain(place) }, held: 'edge' }
  }
  if (held === 'centre') return { ...drawing, shape: { ...shape, centre: plain(place) } }
  if (held !== 'edge' || !shape.centre) return drawing
  return { ...drawing, shape: { ...shape, radius: Math.max(1, Math.round(metresBetween(shape.centre, place))) } }
}

function edgePixels({ centre, radius }: FenceShape, pixel: Press['pixel']): number {
  return centre ? distance(pixel(centre), pixel(placeFrom(centre, radius ?? 0, Math.PI / 2))) : 0
}

function polygonDrawn(drawing: Drawing, { what, place, at, pixel }: Press): Drawing {
  const { shape, held, closed } = drawing
  const points = shape.points ?? []
  if (what === 'move')
    return typeof held === 'number'
      ? { ...drawing, shape: { ...shape, points: points.with(held, plain(place)) } }
      : drawing
  const found = points.findIndex(point => near(pixel(point), at))
  if (found >= 0) return { ...drawing, held: found }
  const where = closed && points.length >= 3 ? nearestSide(points.map(pixel), at) + 1 : points.length
  return { ...drawing, shape: { ...shape, points: points.toSpliced(where, 0, plain(place)) }, held: where }
}

/** Takes the last point back. */
export function undone(drawing: Drawing): Drawing {
  const { shape } = drawing
  if (shape.kind === 'circle') return beginDrawing('circle')
  return { ...drawing, shape: { ...shape, points: (shape.points ?? []).slice(0, -1) }, held: null }
}

function distance(a: readonly [number, number], b: readonly [number, number]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1])
}

function near(a: readonly [number, number], b: readonly [number, number]): boolean {
  return distance(a, b) <= REACH
}

/** Which side of the ring is nearest to a pixel, by the number of the point at which it begins. */
function nearestSide(ring: readonly (readonly [number, number])[], [x, y]: readonly [number, number]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (const [i, [x1, y1]] of ring.entries()) {
    const [x2, y2] = ring[(i + 1) % ring.length]!
    const square = (x2 - x1) ** 2 + (y2 - y1) ** 2
    const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / square))
    const away = distance([x, y], [x1 + part * (x2 - x1), y1 + part * (y2 - y1)])
    if (away < least) [best, least] = [i, away]
  }
  return best
}
