/** A place in WGS 84, degrees. */
export interface FencePoint {
  lng: number
  lat: number
}

/** A part of the earth: a circle in metres, or a polygon whose sides are straight between degrees, the shorter way round. */
export type FenceShape =
  | { kind: 'circle'; centre: FencePoint; radius: number }
  | { kind: 'polygon'; points: readonly FencePoint[] }

/** Of the sphere that stands for the earth (IUGG mean radius), metres. */
const EARTH_M = 6_371_008.8
const RADIANS = Math.PI / 180
/** Degrees that count as on the line: about a centimetre. */
const ON_LINE = 1e-7
const MAX_RADIUS = 20_000_000
const MAX_POINTS = 500

/** Metres between two places on the sphere. */
export function metresBetween(a: FencePoint, b: FencePoint): number {
  const dLat = (b.lat - a.lat) * RADIANS
  const dLng = (b.lng - a.lng) * RADIANS
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * Math.sin(dLng / 2) ** 2
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** Whether a place lies in a fence. What stands on its edge is inside. */
export function isInFence(shape: FenceShape, place: FencePoint): boolean {
  return shape.kind === 'circle'
    ? metresBetween(shape.centre, place) <= shape.radius
    : isInPolygon(unrolled(shape.points), place)
}

/** A position as devices report it; null: it is none. */
export function fencePointOf(value: unknown): FencePoint | null {
  if (value === null || typeof value !== 'object') return null
  const { lng, lat } = value as { lng?: unknown; lat?: unknown }
  return isDegrees(lng, 180) && isDegrees(lat, 90) ? { lng, lat } : null
}

/** What is wrong with a shape, by the path of the field in it. */
export interface FenceProblem {
  path: string
  code:
    | 'radius'
    | 'lng'
    | 'lat'
    | 'missing'
    | 'unused'
    | 'points_few'
    | 'points_many'
    | 'twice'
    | 'crosses'
    | 'pole'
    | 'flat'
  params: Record<string, number>
}

/** Everything that keeps a shape from being a fence; what comes from outside is taken as it is. */
export function fenceProblems(shape: {
  kind: 'circle' | 'polygon'
  centre?: unknown
  radius?: unknown
  points?: readonly unknown[]
}): FenceProblem[] {
  const flaw = (path: string, code: FenceProblem['code'], params = {}): FenceProblem => ({ path, code, params })
  if (shape.kind === 'circle') {
    const problems = shape.points === undefined ? [] : [flaw('points', 'unused')]
    if (shape.centre === undefined) problems.push(flaw('centre', 'missing'))
    else problems.push(...pointProblems(shape.centre, 'centre'))
    const { radius } = shape
    if (typeof radius !== 'number' || !(radius > 0) || radius > MAX_RADIUS)
      problems.push(flaw('radius', radius === undefined ? 'missing' : 'radius', { max: MAX_RADIUS }))
    return problems
  }
  const problems = (['centre', 'radius'] as const).flatMap(field =>
    shape[field] === undefined ? [] : [flaw(field, 'unused')],
  )
  const points = shape.points ?? []
  if (points.length < 3) return [...problems, flaw('points', 'points_few', { min: 3 })]
  if (points.length > MAX_POINTS) return [...problems, flaw('points', 'points_many', { max: MAX_POINTS })]
  problems.push(...points.flatMap((point, i) => pointProblems(point, `points.${i}`)))
  return problems.length > 0 ? problems : ringProblems(points as FencePoint[], flaw)
}

function isDegrees(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= most
}

function pointProblems(point: unknown, path: string): FenceProblem[] {
  const { lng, lat } = (point ?? {}) as { lng?: unknown; lat?: unknown }
  return [
    ...(isDegrees(lng, 180) ? [] : [{ path: `${path}.lng`, code: 'lng' as const, params: {} }]),
    ...(isDegrees(lat, 90) ? [] : [{ path: `${path}.lat`, code: 'lat' as const, params: {} }]),
  ]
}

function ringProblems(
  points: readonly FencePoint[],
  flaw: (path: string, code: FenceProblem['code'], params?: Record<string, number>) => FenceProblem,
): FenceProblem[] {
  const ring = unrolled(points)
  const n = ring.length
  for (let i = 0; i < n; i++) {
    const next = ring[(i + 1) % n]!
    if (Math.abs(shorter(next.lng - ring[i]!.lng)) <= ON_LINE && Math.abs(next.lat - ring[i]!.lat) <= ON_LINE)
      return [flaw(`points.${(i + 1) % n}`, 'twice', { number: ((i + 1) % n) + 1 })]
  }
  // Sides that lead once round the earth hold a pole, and nothing says which.
  if (Math.abs(ring[0]!.lng - ring[n - 1]!.lng) > 180) return [flaw('points', 'pole')]
  const isFlat = Math.abs(doubleArea(ring)) <= ON_LINE * ON_LINE
  if (isFlat && isStraight(ring)) return [flaw('points', 'flat')]
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const [a, b, c, d] = [ring[i]!, ring[(i + 1) % n]!, ring[j]!, ring[(j + 1) % n]!]
      const isNext = j === i + 1 || (i === 0 && j === n - 1)
      if (isNext ? foldsBack(a, b, c, d, j === i + 1) : meet(a, b, c, d))
        return [flaw('points', 'crosses', { side: i + 1, other: j + 1 })]
    }
  return isFlat ? [flaw('points', 'flat')] : []
}

/** All points on one line. Halves of a bow tie take each other's area away, too, but its sides cross. */
function isStraight(ring: readonly FencePoint[]): boolean {
  const [a, b] = [ring[0]!, ring[1]!]
  return ring.every(
    ({ lng, lat }) => Math.abs((b.lng - a.lng) * (lat - a.lat) - (b.lat - a.lat) * (lng - a.lng)) <= ON_LINE,
  )
}

/** Degrees of longitude the shorter way round. */
function shorter(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360)
}

/** Points with longitudes that follow one another without a jump at 180 degrees. */
function unrolled(points: readonly FencePoint[]): FencePoint[] {
  let lng = points[0]?.lng ?? 0
  return points.map(point => {
    lng += shorter(point.lng - lng)
    return { lng, lat: point.lat }
  })
}

function isInPolygon(ring: readonly FencePoint[], place: FencePoint): boolean {
  const lngs = ring.map(({ lng }) => lng)
  const [west, east] = [Math.min(...lngs), Math.max(...lngs)]
  // The same meridian under another number, where the ring reaches over 180 degrees.
  for (const by of [-360, 0, 360]) {
    const lng = place.lng + by
    if (lng < west - ON_LINE || lng > east + ON_LINE) continue
    if (holds(ring, { lng, lat: place.lat })) return true
  }
  return false
}

function holds(ring: readonly FencePoint[], { lng, lat }: FencePoint): boolean {
  let isInside = false
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [a, b] = [ring[i]!, ring[j]!]
    if (isOnSide(a, b, { lng, lat })) return true
    if (a.lat > lat !== b.lat > lat && lng < ((b.lng - a.lng) * (lat - a.lat)) / (b.lat - a.lat) + a.lng)
      isInside = !isInside
  }
  return isInside
}

/** Twice the area of the triangle, with its sense of rotation. */
function turn(a: FencePoint, b: FencePoint, c: FencePoint): number {
  return (b.lng - a.lng) * (c.lat - a.lat) - (b.lat - a.lat) * (c.lng - a.lng)
}

function isOnSide(a: FencePoint, b: FencePoint, p: FencePoint): boolean {
  const length = Math.hypot(b.lng - a.lng, b.lat - a.lat)
  if (Math.abs(turn(a, b, p)) > ON_LINE * Math.max(length, ON_LINE)) return false
  const along = (p.lng - a.lng) * (b.lng - a.lng) + (p.lat - a.lat) * (b.lat - a.lat)
  return along >= -ON_LINE * length && along <= length * length + ON_LINE * length
}

/** Whether two sides that are not neighbours have a point in common. */
function meet(a: FencePoint, b: FencePoint, c: FencePoint, d: FencePoint): boolean {
  if (isOnSide(a, b, c) || isOnSide(a, b, d) || isOnSide(c, d, a) || isOnSide(c, d, b)) return true
  return turn(a, b, c) > 0 !== turn(a, b, d) > 0 && turn(c, d, a) > 0 !== turn(c, d, b) > 0
}

/** Whether neighbours lie upon one another: they share one end and must share nothing else. */
function foldsBack(a: FencePoint, b: FencePoint, c: FencePoint, d: FencePoint, follows: boolean): boolean {
  return follows ? isOnSide(a, b, d) || isOnSide(c, d, a) : isOnSide(a, b, c) || isOnSide(c, d, b)
}

function doubleArea(ring: readonly FencePoint[]): number {
  return ring.reduce((sum, point, i) => {
    const next = ring[(i + 1) % ring.length]!
    return sum + point.lng * next.lat - next.lng * point.lat
  }, 0)
}
