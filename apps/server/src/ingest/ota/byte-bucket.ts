/**
 * So many bytes a second. What is taken may be more than there is: it is paid for by a longer wait, so that a small rate
 * still moves whole chunks. Times in ms that only grow.
 */
export class ByteBucket {
  private tokens: number
  private at: number

  constructor(
    public rate: number,
    now: number,
  ) {
    this.tokens = rate
    this.at = now
  }

  take(bytes: number, now: number): void {
    this.refill(now)
    this.tokens -= bytes
  }

  /** Whether anything may be sent now. */
  isOpen(now: number): boolean {
    this.refill(now)
    return this.tokens > 0
  }

  private refill(now: number): void {
    // A second's worth is saved up at most.
    this.tokens = Math.min(this.rate, this.tokens + ((now - this.at) * this.rate) / 1000)
    this.at = now
  }
}
