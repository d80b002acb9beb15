/** Share of one core that everything together may use while history is written. */
const CPU_SHARE = 0.3
/** Acknowledgements slower than this mean that somebody else needs the database. */
const SLOW_ACK_MS = 250
const START_RATE = 300
const LOWEST_RATE = 25
const HIGHEST_RATE = 5_000
const WINDOW_MS = 1_000

/**
 * How many messages a second the history may add. Begins slowly, grows while the machine is quiet, gives way at once
 * when CPU or acknowledgements say that it is not.
 */
export class Throttle {
  readonly #cpuSeconds: () => number | null
  #rate: number
  #windowStart: number
  #cpuAtStart: number | null
  #slowestAck = 0
  /** When the messages let through so far are paid for. */
  #paidUntil: number

  /** @param cpuSeconds CPU used so far by all that counts, or null when it cannot be told */
  constructor(cpuSeconds: () => number | null, now: number, startRate = START_RATE) {
    this.#rate = startRate
    this.#cpuSeconds = cpuSeconds
    this.#windowStart = now
    this.#cpuAtStart = cpuSeconds()
    this.#paidUntil = now
  }

  get rate(): number {
    return this.#rate
  }

  /** Takes note of messages sent and of how long their acknowledgement took; gives the pause before the next, in ms. */
  sent(messages: number, ackMs: number, now: number): number {
    this.#slowestAck = Math.max(this.#slowestAck, ackMs)
    if (now - this.#windowStart >= WINDOW_MS) this.#adjust(now)
    this.#paidUntil = Math.max(this.#paidUntil, now - WINDOW_MS) + (messages / this.#rate) * 1_000
    return Math.max(0, this.#paidUntil - now)
  }

  #adjust(now: number): void {
    const cpu = this.#cpuSeconds()
    const elapsed = (now - this.#windowStart) / 1_000
    const share = cpu === null || this.#cpuAtStart === null ? 0 : (cpu - this.#cpuAtStart) / elapsed
    if (share > CPU_SHARE || this.#slowestAck > SLOW_ACK_MS) {
      // In proportion to the excess, but never to less than half at once: one busy second is not a busy minute.
      const factor = share > CPU_SHARE ? Math.max(0.5, (CPU_SHARE * 0.95) / share) : 0.5
      this.#rate = Math.max(LOWEST_RATE, this.#rate * factor)
    } else if (share < CPU_SHARE * 0.9) {
      this.#rate = Math.min(HIGHEST_RATE, this.#rate * 1.15 + 20)
    }
    this.#windowStart = now
    this.#cpuAtStart = cpu
    this.#slowestAck = 0
  }
}
