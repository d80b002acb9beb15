import address from '@thingwright/contracts/geo/outlines.json?url'
import { type Place, project } from './projection.ts'

/** Where the outlines are downloaded from. */
export const OUTLINES_ADDRESS: string = address

/** A ring as first point and differences, in parts of a degree. */
type Packed = readonly number[]

interface PackedOutlines {
  parts: number
  land: readonly Packed[]
  provinces: readonly { name: readonly [zh: string, en: string]; at: readonly number[]; rings: readonly Packed[] }[]
}

export interface Province {
  zh: string
  en: string
  /** Where its name stands. */
  at: Place
  rings: readonly Place[][]
}

/** A part of an outline as an SVG path in units of the projection, with the box around it. */
export interface Shape {
  d: string
  left: number
  top: number
  right: number
  bottom: number
}

export interface Outlines {
  /** Land of the world without China, in parts: a window draws those that it shows. */
  land: readonly Shape[]
  /** Provinces of China, likewise. */
  borders: readonly Shape[]
  provinces: readonly Province[]
}

/** The places of a ring. */
export function unpackRing(ring: Packed, parts: number): Place[] {
  const places: Place[] = []
  let lng = 0
  let lat = 0
  for (let at = 0; at + 1 < ring.length; at += 2) {
    lng += ring[at]!
    lat += ring[at + 1]!
    places.push({ lng: lng / parts, lat: lat / parts })
  }
  return places
}

/** Even-odd rule over all rings of an area. */
export function isInside({ lng, lat }: Place, rings: readonly Place[][]): boolean {
  let inside = false
  for (const ring of rings)
    for (let at = 0, before = ring.length - 1; at < ring.length; before = at++) {
      const a = ring[at]!
      const b = ring[before]!
      if (a.lat > lat !== b.lat > lat && lng < ((b.lng - a.lng) * (lat - a.lat)) / (b.lat - a.lat) + a.lng)
        inside = !inside
    }
  return inside
}

/** Rings that fit into such a square, units, are one shape with their neighbours: islands are many. */
const SQUARE = 100

function shapeOf(places: readonly Place[]): Shape {
  const points = places.map(place => project(place).map(units => Math.round(units * 100) / 100) as [number, number])
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
  return { d: `M${points.join('L')}Z`, left, top, right, bottom }
}

const joined = (a: Shape, b: Shape): Shape => ({
  d: a.d + b.d,
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
})

/** Rings as shapes: a large one alone, small ones with those of the same square. */
function shapesOf(rings: readonly (readonly Place[])[]): Shape[] {
  const large: Shape[] = []
  const squares = new Map<string, Shape>()
  for (const shape of rings.map(shapeOf)) {
    const { left, top, right, bottom } = shape
    if (right - left > SQUARE || bottom - top > SQUARE) {
      large.push(shape)
      continue
    }
    const square = `${Math.floor(left / SQUARE)}/${Math.floor(top / SQUARE)}`
    const there = squares.get(square)
    squares.set(square, there ? joined(there, shape) : shape)
  }
  return [...large, ...squares.values()]
}

/** Whether any of it lies in a box, units. */
export const isSeen = (shape: Shape, left: number, top: number, right: number, bottom: number) =>
  shape.left <= right && shape.right >= left && shape.top <= bottom && shape.bottom >= top

/** Outlines as they are drawn. */
export function readOutlines(packed: PackedOutlines): Outlines {
  const { parts } = packed
  const provinces = packed.provinces.map(({ name, at, rings }) => ({
    zh: name[0],
    en: name[1],
    at: { lng: at[0]! / parts, lat: at[1]! / parts },
    rings: rings.map(ring => unpackRing(ring, parts)),
  }))
  return {
    land: shapesOf(packed.land.map(ring => unpackRing(ring, parts))),
    borders: shapesOf(provinces.flatMap(province => province.rings)),
    provinces,
  }
}

let loading: Promise<Outlines> | null = null

/** Downloaded once, when the first map is shown; a failed download may be tried again. */
export function loadOutlines(): Promise<Outlines> {
  loading ??= fetch(OUTLINES_ADDRESS)
    .then(async reply => {
      if (!reply.ok) throw new Error(`outlines: ${reply.status}`)
      return readOutlines((await reply.json()) as PackedOutlines)
    })
    .catch((error: unknown) => {
      loading = null
      throw error
    })
  return loading
}
