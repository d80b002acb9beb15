import { setTimeout as delay } from 'node:timers/promises'

/** Devices of one statement where many are written: some milliseconds of the database's time. */
export const ROWS_AT_ONCE = 500
/** Rest for each millisecond of work, and the longest one. */
const REST_PER_WORK = 2
const LONGEST_REST_MS = 30
/**
 * All rests of one write together. What arrives meanwhile waits in memory, and there is an end to that: a consumer
 * that rests longer has to read the journal instead, which costs more than the rests spare (measured: 0.2 of a core at
 * 12,500 messages a second, and acknowledgements after seconds).
 */
const REST_OF_A_WRITE_MS = 1_500

/**
 * Long writes of consumers give way: they are done in pieces, and after each piece the processors are left to those
 * who take messages from devices, who would otherwise wait for a burst to end. (Measured: sealing half a million values
 * in one go held acknowledgements up for 300 ms on two cores.) One for each write.
 */
export class Pace {
  private since = performance.now()
  private left = REST_OF_A_WRITE_MS

  /** Rests in proportion to what was worked since the last rest, as long as there is rest left. */
  async rest(): Promise<void> {
    const worked = performance.now() - this.since
    const rest = Math.min(LONGEST_REST_MS, Math.ceil(worked * REST_PER_WORK), this.left)
    if (rest > 0) {
      await delay(rest)
      this.left -= rest
    }
    this.since = performance.now()
  }
}

/** Parts of `rows` in their order, `ROWS_AT_ONCE` each. */
export function* pieces<T>(rows: readonly T[], size = ROWS_AT_ONCE): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}
