const GROWTH = 1.15
const BUCKETS = 96

/** Latencies of a stretch of time in buckets that grow by 15 %: percentiles within that error, in constant memory. */
export class LatencyWindow {
  #counts = new Uint32Array(BUCKETS)
  #count = 0

  record(ms: number): void {
    const bucket = ms <= 1 ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms) / Math.log(GROWTH)))
    this.#counts[bucket]!++
    this.#count++
  }

  get count(): number {
    return this.#count
  }

  /** Upper edge of the bucket that holds the percentile, in ms; 0 when nothing was recorded. */
  percentile(share: number): number {
    if (this.#count === 0) return 0
    let left = Math.ceil(this.#count * share)
    for (let i = 0; i < BUCKETS; i++) {
      left -= this.#counts[i]!
      if (left <= 0) return GROWTH ** i
    }
    return GROWTH ** BUCKETS
  }

  reset(): void {
    this.#counts.fill(0)
    this.#count = 0
  }
}
