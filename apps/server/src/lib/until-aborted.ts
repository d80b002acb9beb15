/**
 * Settles as `work` does, or with null as soon as the signal aborts: for work that does not listen to it. What becomes of
 * the work then is nobody's concern, its failure included.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work
      .then(resolve)
      .catch(reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
