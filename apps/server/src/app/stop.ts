/** What was started is ended in the reverse order, each part whatever happens to the others. */
export interface Stop {
  /** Notes how to end what was just started. */
  add(name: string, end: () => Promise<void> | void): void
  run(): Promise<void>
}

export function createStop(onError: (name: string, error: Error) => void): Stop {
  const ends: { name: string; end: () => Promise<void> | void }[] = []
  let running: Promise<void> | null = null
  return {
    add: (name, end) => void ends.push({ name, end }),
    run() {
      running ??= (async () => {
        for (const { name, end } of ends.reverse()) {
          try {
            await end()
          } catch (error) {
            onError(name, error as Error)
          }
        }
      })()
      return running
    },
  }
}
