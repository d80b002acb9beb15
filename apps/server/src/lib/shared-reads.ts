/**
 * Reads by key, of which callers that wait for the same key share one. A read is shared only by callers that asked before
 * it began, so each of them sees what was true when it asked or later: there is nothing to forget and nothing grows stale.
 * @param read rejects or resolves for all callers of that read alike
 */
export function sharedReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  interface Reads {
    running: Promise<T>
    /** Begins when the running one has ended. */
    next: Promise<T> | null
  }
  const all = new Map<string, Reads>()

  function begin(key: string): Promise<T> {
    const running = read(key).finally(() => {
      if (reads.next === null && all.get(key) === reads) all.delete(key)
    })
    const reads: Reads = { running, next: null }
    all.set(key, reads)
    return reads.running
  }

  return key => {
    const reads = all.get(key)
    if (!reads) return begin(key)
    const again = () => begin(key)
    reads.next ??= reads.running.then(again, again)
    return reads.next
  }
}
