import { useEffect, useMemo, useRef, useState } from 'react'
import type { Operation } from '../../lib/api-client.ts'
import { type Read, useMade } from '../../lib/server-state/use-read.ts'
import { keepPlace, keptPlace } from './kept-place.ts'
import type { FetchPage, ListInput, ListReply } from './list-types.ts'
import type { ListUrlState } from './url-state.ts'

/** What a list is a list of. */
export interface ListName {
  operation: Operation
  /** Which of several lists of the operation. */
  about?: string | undefined
}

export interface ListQuery<T> {
  query: Read<ListReply<T>>
  rows: T[]
  /** All results of the filters; null until the server has told. */
  total: number | null
  /** Counted from 1. */
  page: number
  hasNext: boolean
  next(): void
  previous(): void
  first(): void
  /** What the page was fetched with, without its position: the export begins there. */
  input: ListInput
}

/**
 * The pages of a list by the server's cursors. Going back uses the cursors already seen, so that a page stays the
 * page it was; the old rows stand until the new ones are there.
 */
export function useListQuery<T>(
  { operation, about }: ListName,
  fetchPage: FetchPage<T>,
  state: ListUrlState,
  limit: number,
  refreshMs?: (rows: readonly T[]) => number | false,
  enabled = true,
  /** The entry of the history that the list is looked at from: gone back to, it is at the page it was left at. */
  entry = '',
): ListQuery<T> {
  const input = useMemo<ListInput>(
    () => ({
      limit,
      filters: state.filters,
      ...(state.q === '' ? {} : { q: state.q }),
      ...(state.sort === '' ? {} : { sort: state.sort }),
    }),
    [limit, state.filters, state.q, state.sort],
  )
  const asked = JSON.stringify(input)
  const [trail, putTrail] = useState<{ asked: string; cursors: string[] }>({ asked, cursors: [] })
  const setTrail = (next: { asked: string; cursors: string[] }) => {
    keepPlace(entry, { ...next, top: 0 })
    putTrail(next)
  }
  const kept = useMemo(() => keptPlace(entry), [entry, trail])
  const cursors = kept?.asked === asked ? kept.cursors : trail.asked === asked ? trail.cursors : []
  const cursor = cursors.at(-1)
  const page: ListInput = cursor === undefined ? { ...input, total: '1' } : { ...input, cursor }
  const query = useMade(operation, { query: page }, ({ signal }) => fetchPage(page, signal), {
    ...(about === undefined ? {} : { about }),
    enabled,
    keep: true,
    refetchInterval: ({ state: { data } }) => (data && refreshMs ? refreshMs(data.items) : false),
  })
  const known = useRef<{ asked: string; total: number } | null>(null)
  const told = query.isPlaceholderData ? undefined : query.data?.total
  if (told !== undefined) known.current = { asked, total: told }
  // A page that the server no longer knows (its cursor came from another order): start over.
  const failedBeyondFirst = query.isError && cursor !== undefined && isCursorError(query.error)
  useEffect(() => {
    if (!failedBeyondFirst) return
    keepPlace(entry, { asked, cursors: [], top: 0 })
    putTrail({ asked, cursors: [] })
  }, [failedBeyondFirst, asked, entry])
  const nextCursor = query.isPlaceholderData ? null : (query.data?.nextCursor ?? null)
  return {
    query,
    rows: query.data?.items ?? [],
    total: known.current?.asked === asked ? known.current.total : null,
    page: cursors.length + 1,
    hasNext: nextCursor !== null,
    next: () => {
      if (nextCursor !== null) setTrail({ asked, cursors: [...cursors, nextCursor] })
    },
    previous: () => setTrail({ asked, cursors: cursors.slice(0, -1) }),
    first: () => setTrail({ asked, cursors: [] }),
    input,
  }
}

function isCursorError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'request.cursor_invalid'
}
