import type { Rng } from './rng.ts'

export interface Place {
  lng: number
  lat: number
}

/** Corners of a closed round; the first is the depot. */
export type Route = Place[]

const METRES_PER_DEGREE = 111_320
const CORNERS = 14

/** A round of roughly 60-130 km that begins and ends at the depot. */
export function makeRoute(depot: Place, rng: Rng): Route {
  const radius = rng.between(9_000, 17_000)
  const bearing = rng.between(0, 2 * Math.PI)
  const east = METRES_PER_DEGREE * Math.cos((depot.lat * Math.PI) / 180)
  // The depot lies on the rim: the middle of the round is one radius away from it.
  const middle = {
    lng: depot.lng + (radius * Math.cos(bearing)) / east,
    lat: depot.lat + (radius * Math.sin(bearing)) / METRES_PER_DEGREE,
  }
  const corners = Array.from({ length: CORNERS - 1 }, (_, i): Place => {
    const angle = bearing + Math.PI + ((i + 1) / CORNERS) * 2 * Math.PI
    const reach = radius * rng.between(0.7, 1.3)
    return {
      lng: middle.lng + (reach * Math.cos(angle)) / east,
      lat: middle.lat + (reach * Math.sin(angle)) / METRES_PER_DEGREE,
    }
  })
  return [depot, ...corners]
}

/** Metres between two near places (equirectangular; a few metres wrong over a city). */
export function distance(a: Place, b: Place): number {
  const east = METRES_PER_DEGREE * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180)
  return Math.hypot((b.lng - a.lng) * east, (b.lat - a.lat) * METRES_PER_DEGREE)
}

export function routeLength(route: Route): number {
  return route.reduce((sum, corner, i) => sum + distance(corner, route[(i + 1) % route.length]!), 0)
}

/** Where one is after so many metres, and which way one looks (degrees from north, clockwise). */
export function placeAlong(route: Route, metres: number): Place & { heading: number } {
  let left = metres
  for (let i = 0; i < route.length; i++) {
    const a = route[i]!
    const b = route[(i + 1) % route.length]!
    const leg = distance(a, b)
    if (left <= leg || i === route.length - 1) {
      const f = Math.min(1, left / leg)
      const east = Math.cos((a.lat * Math.PI) / 180)
      const heading = (Math.atan2((b.lng - a.lng) * east, b.lat - a.lat) * 180) / Math.PI
      return { lng: a.lng + f * (b.lng - a.lng), lat: a.lat + f * (b.lat - a.lat), heading: (heading + 360) % 360 }
    }
    left -= leg
  }
  return { ...route[0]!, heading: 0 }
}
