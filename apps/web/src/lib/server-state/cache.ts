import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Operation, Reply } from '../api-client.ts'
import {
  type Form,
  formOf,
  inputOf,
  type Key,
  keyOf,
  keyTouched,
  type Part,
  type ReadInput,
  type Touched,
} from './keys.ts'

/** What the console knows of the server, by operation and input. */
export interface Cache {
  /** Out of date: what is shown of it is read again now, the rest when it is shown. Resolves when it has been read. */
  touch(...touched: Touched[]): Promise<void>
  /** Puts in place what the server returned. */
  put<O extends Operation>(operation: O, input: ReadInput<O>, reply: Reply<O>): void
  /** Changes every answer of the operation that is there: whatever it was asked with, or as far as `input` says. */
  patch<O extends Operation>(operation: O, change: (reply: Reply<O>) => Reply<O>, input?: Part<ReadInput<O>>): void
  /** The same for answers that were read page after page; `asked` is what they were asked with. */
  patchPages<O extends Operation>(
    operation: O,
    change: (pages: Reply<O>[], asked: Part<ReadInput<O>>) => Reply<O>[],
    input?: Part<ReadInput<O>>,
  ): void
  /** Keeps the first page only: those further back are read when they are asked for. */
  firstPage<O extends Operation>(operation: O, input: ReadInput<O>): void
  /** The same for answers of `useMade`. */
  patchMade<T>(operation: Operation, change: (known: T) => T, input?: object): void
  /** Puts in place an answer of `useMade`. */
  putMade<T>(operation: Operation, input: object, change: (known: T | undefined) => T): void
  knownMade<T>(operation: Operation, input: object): T | undefined
  /** What was removed at the server is not read again. */
  forget<O extends Operation>(operation: O, input: ReadInput<O>): void
  /** Ends what is being read, before something newer is put in its place. */
  stop(...touched: Touched[]): Promise<void>
}

export function cacheOf(client: QueryClient): Cache {
  const has = (operation: Operation, input: object, form: Form | null) => ({
    queryKey: keyOf(operation, input),
    predicate: (query: { queryKey: readonly unknown[] }) => formOf(query.queryKey) === form,
  })
  return {
    touch: async (...all) => {
      await Promise.all(broadest(all.map(keyTouched)).map(queryKey => client.invalidateQueries({ queryKey })))
    },
    put: (operation, input, reply) => {
      client.setQueryData(keyOf(operation, input), reply)
    },
    patch: <O extends Operation>(operation: O, change: (reply: Reply<O>) => Reply<O>, input = {}) => {
      client.setQueriesData<Reply<O>>(has(operation, input, null), known =>
        known === undefined ? undefined : change(known),
      )
    },
    patchPages: (operation, change, input = {}) => {
      for (const { queryKey } of client.getQueryCache().findAll(has(operation, input, 'pages')))
        client.setQueryData<InfiniteData<Reply<typeof operation>>>(
          queryKey,
          data => data && { ...data, pages: change(data.pages, inputOf(queryKey)) },
        )
    },
    firstPage: (operation, input) => {
      client.setQueryData<InfiniteData<unknown>>(
        keyOf(operation, input, 'pages'),
        data => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
      )
    },
    patchMade: <T>(operation: Operation, change: (known: T) => T, input = {}) => {
      client.setQueriesData<T>(has(operation, input, 'made'), known =>
        known === undefined ? undefined : change(known),
      )
    },
    putMade: <T>(operation: Operation, input: object, change: (known: T | undefined) => T) => {
      client.setQueryData<T>(keyOf(operation, input, 'made'), change)
    },
    knownMade: (operation, input) => client.getQueryData(keyOf(operation, input, 'made')),
    forget: (operation, input) => client.removeQueries({ queryKey: keyOf(operation, input), exact: true }),
    stop: async (...all) => {
      await Promise.all(all.map(touched => client.cancelQueries({ queryKey: keyTouched(touched) })))
    },
  }
}

/** Each beginning once, and none below another: what is touched twice would be read twice. */
function broadest(keys: readonly Key[]): readonly Key[] {
  const below = (key: Key, other: Key) =>
    other.length <= key.length && other.every((part, at) => JSON.stringify(part) === JSON.stringify(key[at]))
  return keys.filter(
    (key, at) => !keys.some((other, place) => place !== at && below(key, other) && (place < at || !below(other, key))),
  )
}

export function useCache(): Cache {
  const client = useQueryClient()
  return useMemo(() => cacheOf(client), [client])
}
