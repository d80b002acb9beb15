import type { Clock } from '../../lib/clock.ts'
import { Lru } from '../memory/lru.ts'

/** How far a signed time may be from ours. */
export const SIGNATURE_WINDOW_MS = 15 * 60_000
/** Signed times remembered, of all devices. */
const REMEMBERED = 100_000

/**
 * Lets every signed time of a device count once. What stands in memory is lost with the process: within 15 minutes of a
 * restart a recorded sign-in would work once more.
 */
export class ReplayGuard {
  private readonly used = new Lru<string, number>(REMEMBERED)

  constructor(private readonly clock: Clock) {}

  /** Near enough to our own time? */
  isFresh(timestamp: number): boolean {
    return Math.abs(this.clock.now() - timestamp) <= SIGNATURE_WINDOW_MS
  }

  /** True the first time; called only for signatures that were right, so a stranger cannot use up anybody's times. */
  take(device: number, timestamp: number): boolean {
    const key = `${device}:${timestamp}`
    if (this.used.get(key) !== undefined) return false
    this.used.set(key, timestamp)
    return true
  }
}
