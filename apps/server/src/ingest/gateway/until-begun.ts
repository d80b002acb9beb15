/**
 * Devices are let in while the lanes still find out where they go on; what they send waits for that, in order: only then
 * is it known which times were given already (ADR 36).
 */
export class UntilBegun {
  private waiting: (() => void)[] | null = []

  get isOver(): boolean {
    return this.waiting === null
  }

  /** Now, or as soon as it has begun. */
  run(job: () => void): void {
    if (this.waiting) this.waiting.push(job)
    else job()
  }

  begin(): void {
    const jobs = this.waiting ?? []
    this.waiting = null
    for (const job of jobs) job()
  }
}
