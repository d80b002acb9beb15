/** So many a second, saved up for at most one second (and for one message at least). Times in ms that only grow. */
export class TokenBucket {
  private tokens: number
  private at: number

  constructor(
    public rate: number,
    now: number,
  ) {
    this.tokens = this.most
    this.at = now
  }

  private get most(): number {
    return Math.max(1, this.rate)
  }

  /** Takes one, also one that is not there: what came in has come in, and is paid for by a longer wait. */
  take(now: number): void {
    this.refill(now)
    this.tokens--
  }

  /** Ms until there is one; 0: there is. */
  wait(now: number): number {
    this.refill(now)
    return this.tokens >= 1 ? 0 : ((1 - this.tokens) * 1000) / this.rate
  }

  isFull(now: number): boolean {
    this.refill(now)
    return this.tokens >= this.most
  }

  private refill(now: number): void {
    this.tokens = Math.min(this.most, this.tokens + ((now - this.at) * this.rate) / 1000)
    this.at = now
  }
}
