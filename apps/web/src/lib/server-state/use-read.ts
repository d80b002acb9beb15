import {
  keepPreviousData,
  type UseQueryOptions,
  type UseQueryResult,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import { type CallInput, call, type Operation, type Reply } from '../api-client.ts'
import { type Key, keyOf, type ReadInput } from './keys.ts'

/** What is known of an answer: the data, whether it is on its way, why it was refused. */
export type Read<T> = UseQueryResult<T, Error>

/** Asks the server; ends with its signal. */
export type Ask<R> = (context: { signal: AbortSignal }) => Promise<R>

export interface AskOptions<R> {
  /** Stands around the question: `reads.read` of a page that listens as well, `settled()` while somebody types. */
  through?: ((ask: Ask<R>) => Ask<R>) | undefined
  /** What the answer depends on besides the input: another is another answer. */
  about?: unknown
  /** The answer to the question before stands until there is one to this. */
  keep?: boolean
}

export type ReadOptions<R, T = R> = Omit<UseQueryOptions<R, Error, T, Key>, 'queryKey' | 'queryFn'> & AskOptions<R>

/** The input may be left out where the operation needs none. */
type Given<O extends Operation, More> =
  Record<never, never> extends ReadInput<O>
    ? [input?: ReadInput<O>, options?: More]
    : [input: ReadInput<O>, options?: More]

function questionOf<O extends Operation, T>(
  operation: O,
  input: object = {},
  { through, about, keep, ...options }: ReadOptions<Reply<O>, T> = {},
): UseQueryOptions<Reply<O>, Error, T, Key> {
  const ask: Ask<Reply<O>> = ({ signal }) => call(operation, { ...input, signal } as unknown as CallInput<O>)
  return {
    ...options,
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
    queryKey: keyOf(operation, input, undefined, about),
    queryFn: through ? through(ask) : ask,
  }
}

/**
 * Reads an operation of the API and keeps its answer for all who ask the same:
 * `useRead('devices.get', {params: {id}}, {enabled: id !== ''})`. Input and answer are the contract's.
 */
export function useRead<O extends Operation, T = Reply<O>>(
  operation: O,
  ...[input, options]: Given<O, ReadOptions<Reply<O>, T>>
): UseQueryResult<T, Error> {
  return useQuery(questionOf<O, T>(operation, input, options))
}

/** One operation read with several inputs at once; `combine` makes one thing of the answers. */
export function useReads<O extends Operation, C = UseQueryResult<Reply<O>, Error>[]>(
  operation: O,
  inputs: readonly ReadInput<O>[],
  options: ReadOptions<Reply<O>> = {},
  combine?: (found: UseQueryResult<Reply<O>, Error>[]) => C,
): C {
  return useQueries({
    queries: inputs.map(input => questionOf<O, Reply<O>>(operation, input, options)),
    ...(combine ? { combine: combine as never } : {}),
  }) as C
}

/** Several made answers at once, each of its own input. */
export function useMades<I extends object, T, C>(
  operation: Operation,
  inputs: readonly I[],
  ask: (input: I, context: { signal: AbortSignal }) => Promise<T>,
  options: Omit<ReadOptions<T>, keyof AskOptions<T>>,
  combine: (found: UseQueryResult<T, Error>[]) => C,
): C {
  return useQueries({
    queries: inputs.map(input => ({
      ...options,
      queryKey: keyOf(operation, input, 'made'),
      queryFn: (context: { signal: AbortSignal }) => ask(input, context),
    })),
    combine: combine as never,
  }) as C
}

/**
 * An answer made of several calls, or of a moment: it belongs to the operation that it is mostly made of, and is touched
 * with it.
 */
export function useMade<T>(
  operation: Operation,
  input: object,
  ask: Ask<T>,
  { through, about, keep, ...options }: ReadOptions<T> = {},
): UseQueryResult<T, Error> {
  return useQuery({
    ...options,
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
    queryKey: keyOf(operation, input, 'made', about),
    queryFn: through ? through(ask) : ask,
  })
}

/** What lies beside the API: a file of the console's own server, which does not change while the page is open. */
export function useFile<T>(name: string, ask: Ask<T>): UseQueryResult<T, Error> {
  return useQuery({ queryKey: ['file', name], queryFn: ask, staleTime: Number.POSITIVE_INFINITY })
}

/** For `through`: asks only after nothing newer was asked for so long. */
export function settled(ms = 300) {
  return <R>(ask: Ask<R>): Ask<R> =>
    async context => {
      await new Promise(resolve => setTimeout(resolve, ms))
      context.signal.throwIfAborted()
      return ask(context)
    }
}
