/** A piece of work that is done again and again, never twice at the same time. */
export interface Ticker {
  start(): void
  /** @returns when the work that is under way has ended */
  stop(): Promise<void>
  /** Does the work now instead of with the next tick; once more when it is under way. */
  wake(): void
  /** The work is under way and was asked to stop. */
  isStopping(): boolean
}

/**
 * @param everyMs pause between the end of the work and its next start, ms
 * @param onError receives what the work throws; the next tick tries again
 */
export function createTicker(options: {
  everyMs: number
  work(): Promise<void>
  onError(error: unknown): void
}): Ticker {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  let isRunning = false
  let isAsked = false
  let isStopped = true

  function wake(): void {
    if (isStopped) return
    if (isRunning) {
      isAsked = true
      return
    }
    if (timer) clearTimeout(timer)
    isRunning = true
    isAsked = false
    running = options
      .work()
      .catch(options.onError)
      .finally(() => {
        isRunning = false
        if (!isStopped) timer = setTimeout(wake, isAsked ? 0 : options.everyMs)
      })
  }

  return {
    start() {
      isStopped = false
      wake()
    },
    async stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      await running
    },
    wake,
    isStopping: () => isStopped && isRunning,
  }
}
