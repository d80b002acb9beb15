import type { Box, Place } from '../../../ui/map/projection.ts'

/** The part of the map that holds all points; there is at least one. */
export function boundsOf(points: readonly Place[]): Box {
  let [west, south, east, north] = [180, 90, -180, -90]
  for (const { lng, lat } of points) {
    west = Math.min(west, lng)
    east = Math.max(east, lng)
    south = Math.min(south, lat)
    north = Math.max(north, lat)
  }
  return { west, south, east, north }
}
