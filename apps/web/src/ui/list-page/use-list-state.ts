import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { ListFilter } from './list-types.ts'
import { clearListState, type ListUrlState, readListState, writeListState } from './url-state.ts'

export interface ListState extends ListUrlState {
  setQ(q: string): void
  setSort(sort: string): void
  setFilter(key: string, value: string | null): void
  setFilters(filters: Record<string, string | null>): void
  /** Removes search and filters. */
  clear(): void
  /** Takes a whole stored query (a saved view). */
  apply(query: string): void
  /** The list's part of the address, to be stored as a view. */
  query: string
}

/** Search, order and filters of a list, kept in the address. Typing replaces the entry of the history, choices add one. */
export function useListState(filters: readonly ListFilter[]): ListState {
  const [params, setParams] = useSearchParams()
  const known = useMemo(
    () =>
      filters.map(({ key, options, open }) => ({
        key,
        values: options && !open ? options.map(option => option.value) : undefined,
      })),
    [filters],
  )
  const state = useMemo(() => readListState(params, known), [params, known])
  const change = useCallback(
    (what: Parameters<typeof writeListState>[1], replace = false) =>
      setParams(before => writeListState(before, what), { replace, preventScrollReset: true }),
    [setParams],
  )
  return useMemo(
    () => ({
      ...state,
      setQ: q => change({ q }, true),
      setSort: sort => change({ sort }),
      setFilter: (key, value) => change({ filters: { [key]: value } }),
      setFilters: values => change({ filters: values }),
      clear: () => setParams(before => clearListState(before, known), { preventScrollReset: true }),
      apply: query =>
        setParams(
          before => {
            const next = writeListState(clearListState(before, known), { sort: '' })
            for (const [key, value] of new URLSearchParams(query)) next.set(key, value)
            return next
          },
          { preventScrollReset: true },
        ),
      query: writeListState(new URLSearchParams(), {
        q: state.q,
        sort: state.sort,
        filters: state.filters,
      }).toString(),
    }),
    [state, change, setParams, known],
  )
}
