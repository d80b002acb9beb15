const MINUTE = 60_000
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Lengths of time that a small line may stand for. */
const WINDOWS = [10 * MINUTE, HOUR, 6 * HOUR, DAY]

/**
 * How much of the last day a small line shows: all of it, or, of a device that began a short while ago, the shortest
 * length that holds everything, so that its line is not a stroke at the edge.
 * @param firstTs of the oldest point, null without any
 */
export function sparkWindow(firstTs: number | null, now: number): number {
  if (firstTs === null) return DAY
  return WINDOWS.find(length => now - firstTs <= length) ?? DAY
}
