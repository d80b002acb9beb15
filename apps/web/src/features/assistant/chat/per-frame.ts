/** In a hidden tab there are no frames, and nobody who looks. */
const HIDDEN_MS = 250

/** A function that runs `work` once at the next frame, however often it is called before; `now` runs it at once. */
export function perFrame(work: () => void): { (): void; now: () => void } {
  let cancel: (() => void) | null = null
  const run = () => {
    cancel?.()
    cancel = null
    work()
  }
  const schedule = () => {
    if (cancel) return
    if (document.hidden) {
      const timer = setTimeout(run, HIDDEN_MS)
      cancel = () => clearTimeout(timer)
    } else {
      const frame = requestAnimationFrame(run)
      // A tab that is hidden before its frame comes would wait until it is looked at again.
      const timer = setTimeout(run, HIDDEN_MS)
      cancel = () => {
        cancelAnimationFrame(frame)
        clearTimeout(timer)
      }
    }
  }
  return Object.assign(schedule, { now: run })
}
