import type { Box } from '../../../ui/map/projection.ts'

/** The filter of lists of devices for what is placed in a box. */
export const withinOf = ({ west, south, east, north }: Box) =>
  [west, south, east, north].map(degrees => String(Number(degrees.toFixed(6)))).join(',')
