import {
  type InfiniteData,
  keepPreviousData,
  type Query,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { type CallInput, call, type Operation, type Reply } from '../api-client.ts'
import { type Key, keyOf, type ReadInput } from './keys.ts'
import type { AskOptions } from './use-read.ts'

type Pages<R> = InfiniteData<R, string | undefined>

export interface PagesOptions<R> extends Pick<AskOptions<R>, 'through' | 'about' | 'keep'> {
  enabled?: boolean
  /** What goes into the query only when it is asked, such as a moment, and tells no answers apart. */
  asking?: () => object
  refetchInterval?: number | false | ((query: Query<R, Error, Pages<R>, Key>) => number | false)
}

/** Reads a list page after page, by the server's cursors. */
export function usePages<O extends Operation>(
  operation: O,
  input: ReadInput<O>,
  { through, about, keep, asking, ...options }: PagesOptions<Reply<O>> = {},
): UseInfiniteQueryResult<Pages<Reply<O>>, Error> {
  return useInfiniteQuery<Reply<O>, Error, Pages<Reply<O>>, Key, string | undefined>({
    ...(options as object),
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
    queryKey: keyOf(operation, input, 'pages', about),
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) => {
      const { query, ...rest } = input as { query?: object }
      const page = { ...query, ...asking?.(), ...(pageParam === undefined ? {} : { cursor: pageParam }) }
      const ask = ({ signal }: { signal: AbortSignal }) =>
        call(operation, { ...rest, query: page, signal } as unknown as CallInput<O>)
      return (through ? through(ask) : ask)({ signal })
    },
    getNextPageParam: page => (page as { nextCursor?: string | null }).nextCursor ?? undefined,
  })
}
