const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Waits after the first, second … failure in a row; the last one stays. */
const WAITS = [
  SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
] as const

/** What could not be delivered for so long goes to the dead letters. */
export const DEAD_AFTER_MS = 24 * HOUR
/** Failures in a row after which a subscription is paused. */
export const PAUSE_AFTER = 50
/** Times that a body is refused as it is (400, 413, 422) before its item goes to the dead letters. */
export const REFUSALS = 3
/** A receiver that names a time is believed this far. */
export const MAX_RETRY_AFTER_MS = HOUR

/** How long to wait after so many failures in a row, ms. */
export function waitAfter(failures: number, retryAfterMs = 0): number {
  const own = WAITS[Math.min(Math.max(failures, 1), WAITS.length) - 1]!
  return Math.max(own, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))
}
