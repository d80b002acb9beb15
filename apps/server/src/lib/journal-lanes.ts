/** Number of lanes of one installation; a device's lane is `num % LANES`, fixed for ever. */
export const LANES = 2

export function laneOf(deviceNum: number): number {
  return deviceNum % LANES
}
