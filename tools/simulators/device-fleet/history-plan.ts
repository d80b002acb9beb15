const DAY = 86_400_000
const MINUTE = 60_000
/** Distance of two points of one device when there is room for all. */
const FINEST_MS = 2 * MINUTE

/** Which past is written: for every device one message at from + interval, from + 2 × interval, … to. */
export interface HistoryPlan {
  from: number
  to: number
  intervalMs: number
  /** Messages of one device. */
  perDevice: number
}

/**
 * The last `days` days up to the last whole interval before now, as fine as the bound on all messages together allows.
 * Intervals are whole minutes, the step of the physical models, so that a history can be lived through again exactly.
 * Null when the bound does not even leave two messages per device.
 */
export function planHistory(devices: number, now: number, days: number, maxMessages: number): HistoryPlan | null {
  const span = days * DAY
  const affordable = Math.floor(maxMessages / Math.max(1, devices))
  if (devices === 0 || affordable < 2) return null
  const intervalMs = Math.max(FINEST_MS, Math.ceil(span / affordable / MINUTE) * MINUTE)
  const perDevice = Math.floor(span / intervalMs)
  const to = Math.floor(now / intervalMs) * intervalMs
  return { from: to - perDevice * intervalMs, to, intervalMs, perDevice }
}
