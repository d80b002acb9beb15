const living = new Set<() => Promise<unknown>>()

/** Has something ended when this program is told to end. @returns what forgets it again */
export function atEnd(end: () => Promise<unknown>): () => void {
  living.add(end)
  return () => living.delete(end)
}

/** For programs of their own: a signal ends everything that they have started, newest first, and then them. */
export function endOnSignals(): void {
  let ending = false
  const end = async (code: number) => {
    if (ending) return
    ending = true
    // What was under way fails now, because its parts end: no news, and no reason to leave before they have.
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, () => {})
    for (const one of [...living].reverse())
      await one().catch((error: unknown) => process.stderr.write(`could not be ended: ${String(error)}\n`))
    process.exit(code)
  }
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.on(signal, () => {
      end(code).catch(() => process.exit(code))
    })
}
