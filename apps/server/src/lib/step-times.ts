/** How long each step of a start took, ms: the first thing that is asked of a start that was slow. */
export class StepTimes {
  private readonly took: Record<string, number> = {}
  private last = 0

  /** Times count from the start of the process; what came before the first step is called `program`. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.done('program')
  }

  /** The step that ends now. */
  done(step: string): void {
    const now = this.now()
    this.took[step] = (this.took[step] ?? 0) + Math.round(now - this.last)
    this.last = now
  }

  /** For the log. */
  get ms(): Record<string, number> {
    return { ...this.took }
  }
}
