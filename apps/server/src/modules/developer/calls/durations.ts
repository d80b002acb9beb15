/** Upper bounds in ms of the histogram's steps; what takes longer counts to the last. Stored by place: only ever appended to. */
export const DURATION_BOUNDS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 10_000, 60_000,
] as const

/** The step a duration belongs to. */
export function stepOf(ms: number): number {
  let low = 0
  let high = DURATION_BOUNDS.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (ms <= DURATION_BOUNDS[middle]!) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * The bound below which the share of the calls lies.
 * @returns ms, or null without calls
 */
export function percentile(durations: readonly number[], share: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let seen = 0
  for (const [step, count] of durations.entries()) {
    seen += count
    if (seen >= total * share) return DURATION_BOUNDS[Math.min(step, DURATION_BOUNDS.length - 1)]!
  }
  return DURATION_BOUNDS.at(-1)!
}
