/** Applied to what a read brought, when it was heard while that was on its way. */
export type Merge = (read: unknown) => unknown

export interface LiveReadsDeps {
  /** Settles once the topics are followed, or when that cannot be waited for. */
  followed: () => Promise<unknown>
  /** Reads everything again that is shown. */
  refresh: () => void
  /** Calls back after the present answer has been taken over. */
  later: (work: () => void) => void
}

/**
 * What a page reads and what it hears, kept together: it follows first, then reads, then merges. An answer never
 * overwrites what was heard while it was on its way, and what an answer cannot know is read once more.
 */
export class LiveReads {
  private readonly deps: LiveReadsDeps
  /** Counts what was heard. */
  private now = 0
  /** The last thing heard that only another read can tell. */
  private againAt = 0
  private begun = 0
  private running = 0
  private again = false
  private heard: { at: number; merge: Merge }[] = []

  constructor(deps: LiveReadsDeps) {
    this.deps = deps
  }

  /** Makes a read one that misses nothing: wrap the function that asks the server. May be handed on by itself. */
  readonly read =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>): ((...args: A) => Promise<T>) =>
    async (...args) => {
      await this.deps.followed()
      const since = this.now
      this.begun++
      this.running++
      try {
        const answer = await ask(...args)
        if (this.againAt > since) this.again = true
        let merged: unknown = answer
        for (const { at, merge } of this.heard) if (at > since) merged = merge(merged)
        return merged as T
      } finally {
        this.running--
        if (this.running === 0) this.heard = []
        if (this.again) this.deps.later(() => this.catchUp())
      }
    }

  /** The state of a topic was told anew: what happened before it may have been missed by every earlier read. */
  restart(): void {
    // Reads that have not begun come after it.
    if (this.begun > 0) this.readAgain()
  }

  /** Something happened that only the server can tell. */
  readAgain(): void {
    this.againAt = ++this.now
    this.again = true
    this.catchUp()
  }

  /** Something was heard that the page has put in its place; an answer that is on its way gets it too. */
  merge(merge: Merge): void {
    this.now++
    if (this.running > 0) this.heard.push({ at: this.now, merge })
  }

  /** A running read is neither cut off nor doubled: what it may have missed is read when it is done. */
  private catchUp(): void {
    if (!this.again || this.running > 0) return
    this.again = false
    this.deps.refresh()
  }
}
