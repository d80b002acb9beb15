export interface HeartbeatOptions {
  /** Sends a beat to the other side. */
  beat?(): void
  /** Called at every beat at which nothing was heard, with the number of them in a row. */
  silent(beats: number): void
  /** Something was heard again after `beats` without. */
  back?(beats: number): void
  everyMs?: number
}

export const BEAT_MS = 1_000

/**
 * Notices that another process says nothing any more. Silence is counted in beats of our own, not read from a clock: a
 * process that was itself held up has missed one beat, and reads what waited for it before the next.
 */
export class Heartbeat {
  private quiet = 0
  private heardSince = true
  private readonly timer: NodeJS.Timeout

  constructor(private readonly options: HeartbeatOptions) {
    this.timer = setInterval(() => this.tick(), options.everyMs ?? BEAT_MS)
    this.timer.unref()
  }

  /** Beats in a row at which nothing had been heard. */
  get beatsSilent(): number {
    return this.quiet
  }

  heard(): void {
    this.heardSince = true
    if (this.quiet === 0) return
    const beats = this.quiet
    this.quiet = 0
    this.options.back?.(beats)
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private tick(): void {
    if (!this.heardSince) this.options.silent(++this.quiet)
    this.heardSince = false
    this.options.beat?.()
  }
}
