/**
 * Number of lanes of one installation; a device's lane is `num % LANES`, fixed for ever. Whoever reads a device's rows
 * of the journal asks for the device alone: with its lane beside it PostgreSQL, which knows nothing yet of a new
 * partition, walks through the whole lane instead of the device's own index.
 */
export const LANES = 2

export function laneOf(deviceNum: number): number {
  return deviceNum % LANES
}
