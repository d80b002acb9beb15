import outlines from '@thingwright/contracts/geo/outlines.json' with { type: 'json' }

/** A place, WGS 84. */
export interface Place {
  lng: number
  lat: number
}

export interface Province {
  zh: string
  en: string
}

interface Area extends Province {
  rings: readonly Place[][]
  west: number
  south: number
  east: number
  north: number
}

/** The outlines are off by some three kilometres: a harbour may lie in their sea. Degrees. */
const BESIDE = 0.1

let known: readonly Area[] | null = null

/** The province of China that a place is in, by the outlines of the map; null: in none. */
export function provinceOf(place: Place): Province | null {
  known ??= outlines.provinces.map(areaOf)
  const near = known.filter(
    ({ west, south, east, north }) =>
      place.lng >= west - BESIDE &&
      place.lng <= east + BESIDE &&
      place.lat >= south - BESIDE &&
      place.lat <= north + BESIDE,
  )
  return near.find(area => isInside(place, area.rings)) ?? nearest(place, near)
}

function areaOf({ name, rings }: (typeof outlines.provinces)[number]): Area {
  const unpacked = rings.map(unpack)
  const all = unpacked.flat()
  const [lngs, lats] = [all.map(({ lng }) => lng), all.map(({ lat }) => lat)]
  return {
    zh: name[0]!,
    en: name[1]!,
    rings: unpacked,
    west: Math.min(...lngs),
    south: Math.min(...lats),
    east: Math.max(...lngs),
    north: Math.max(...lats),
  }
}

/** A ring is its first point and differences, in parts of a degree. */
function unpack(ring: readonly number[]): Place[] {
  const places: Place[] = []
  let [lng, lat] = [0, 0]
  for (let at = 0; at + 1 < ring.length; at += 2) {
    lng += ring[at]!
    lat += ring[at + 1]!
    places.push({ lng: lng / outlines.parts, lat: lat / outlines.parts })
  }
  return places
}

/** Even-odd rule over all rings of an area. */
function isInside({ lng, lat }: Place, rings: readonly Place[][]): boolean {
  let inside = false
  for (const ring of rings)
    for (const [at, a] of ring.entries()) {
      const b = ring.at(at - 1)!
      if (a.lat > lat !== b.lat > lat && lng < ((b.lng - a.lng) * (lat - a.lat)) / (b.lat - a.lat) + a.lng)
        inside = !inside
    }
  return inside
}

function nearest(place: Place, areas: readonly Area[]): Area | null {
  let [found, least]: [Area | null, number] = [null, BESIDE]
  for (const area of areas)
    for (const ring of area.rings)
      for (const [at, a] of ring.entries()) {
        const away = distance(place, a, ring.at(at - 1)!)
        if (away < least) [found, least] = [area, away]
      }
  return found
}

/** Degrees from a place to a line between two others. */
function distance(place: Place, a: Place, b: Place): number {
  const [dx, dy] = [b.lng - a.lng, b.lat - a.lat]
  const square = dx * dx + dy * dy
  const along = square === 0 ? 0 : ((place.lng - a.lng) * dx + (place.lat - a.lat) * dy) / square
  const part = Math.min(1, Math.max(0, along))
  return Math.hypot(place.lng - a.lng - part * dx, place.lat - a.lat - part * dy)
}
