import type { Place } from '../../../ui/map/projection.ts'

/** A place and how hot it is, 0 to 1. */
export interface HeatSpot {
  key: string
  place: Place
  heat: number
}

/** Steps of the scale, coldest first. */
export const HEAT_STEPS = 5

/** The step of a heat, 0 to `HEAT_STEPS` - 1. */
export const stepOfHeat = (heat: number) => Math.min(HEAT_STEPS - 1, Math.max(0, Math.floor(heat * HEAT_STEPS)))

/**
 * Heat of places by a number of things each, none of them negative: by its logarithm, for one cell may hold a thousand
 * times as many as its neighbour. Places without any have no heat.
 */
export function heatOfCounts(places: readonly { key: string; place: Place; count: number }[]): HeatSpot[] {
  const most = Math.max(1, ...places.map(({ count }) => count))
  return places
    .filter(({ count }) => count > 0)
    .map(({ key, place, count }) => ({ key, place, heat: Math.log1p(count) / Math.log1p(most) }))
}

/** Heat of places by a value each, from the least to the greatest of them; all the same: the middle of the scale. */
export function heatOfValues(places: readonly { key: string; place: Place; value: number }[]): {
  spots: HeatSpot[]
  least: number
  most: number
} {
  const values = places.map(({ value }) => value)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const spots = places.map(({ key, place, value }) => ({
    key,
    place,
    heat: most > least ? (value - least) / (most - least) : 0.5,
  }))
  return { spots, least, most }
}
