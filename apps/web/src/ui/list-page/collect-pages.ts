import type { FetchPage, ListInput } from './list-types.ts'

/** The largest page the server gives. */
const PAGE = 100

/**
 * Pages through a whole list and hands over each page as it comes, at most `max` rows.
 * Rejects with the signal's reason when it is aborted, and with the server's refusal.
 */
export async function collectPages<T>(
  fetchPage: FetchPage<T>,
  input: ListInput,
  options: {
    signal: AbortSignal
    max: number
    onPage: (rows: T[], progress: { done: number; total: number | null }) => void
  },
): Promise<{ cut: boolean }> {
  let cursor: string | null = null
  let done = 0
  let total: number | null = null
  do {
    options.signal.throwIfAborted()
    const reply = await fetchPage(
      { ...input, limit: PAGE, ...(cursor === null ? { total: '1' as const } : { cursor }) },
      options.signal,
    )
    options.signal.throwIfAborted()
    total = reply.total ?? total
    const rows = reply.items.slice(0, options.max - done)
    done += rows.length
    options.onPage(rows, { done, total })
    if (rows.length < reply.items.length || (done >= options.max && reply.nextCursor !== null)) return { cut: true }
    cursor = reply.nextCursor
  } while (cursor !== null)
  return { cut: false }
}
