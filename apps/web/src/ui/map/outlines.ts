import address from './outlines.json?url'
import { type Place, project } from './projection.ts'

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

export interface Outlines {
  /** Land of the world without China, as one SVG path in units of the projection. */
  land: string
  /** Provinces of China, likewise. */
  borders: string
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

const pathOf = (places: readonly Place[]) =>
  `M${places.map(place => project(place).map(units => Math.round(units * 100) / 100)).join('L')}Z`

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
    land: packed.land.map(ring => pathOf(unpackRing(ring, parts))).join(''),
    borders: provinces.flatMap(province => province.rings.map(pathOf)).join(''),
    provinces,
  }
}

let loading: Promise<Outlines> | null = null

/** Downloaded once, when the first map is shown; a failed download may be tried again. */
export function loadOutlines(): Promise<Outlines> {
  loading ??= fetch(address)
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
