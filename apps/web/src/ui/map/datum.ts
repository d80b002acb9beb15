import type { Box, Place } from './projection.ts'

/** Coordinates that a map is drawn in: places are WGS 84 everywhere else. */
export interface Datum {
  toMap(place: Place): Place
  toWgs(place: Place): Place
}

const same = (place: Place) => place

/** The coordinates that are stored. */
export const WGS84: Datum = { toMap: same, toWgs: same }

/** The shifted coordinates of services in China; outside of a box around it they are WGS 84. */
export async function loadGcj02(): Promise<Datum> {
  const { default: gcoord } = await import('gcoord')
  type System = typeof gcoord.WGS84 | typeof gcoord.GCJ02
  const between = (from: System, to: System) => (place: Place) => {
    const [lng, lat] = gcoord.transform([place.lng, place.lat], from, to)
    return { lng: lng!, lat: lat! }
  }
  return { toMap: between(gcoord.WGS84, gcoord.GCJ02), toWgs: between(gcoord.GCJ02, gcoord.WGS84) }
}

/** A part of the map as the part of the world that it shows. */
export function boxToWgs({ west, south, east, north }: Box, datum: Datum): Box {
  const lower = datum.toWgs({ lng: west, lat: south })
  const upper = datum.toWgs({ lng: east, lat: north })
  return { west: lower.lng, south: lower.lat, east: upper.lng, north: upper.lat }
}
