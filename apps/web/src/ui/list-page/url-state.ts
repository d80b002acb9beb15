/** What a list is asked for, as it stands in the address: shared links and the back button work by themselves. */
export interface ListUrlState {
  q: string
  /** `-createdAt`; empty for the list's own order. */
  sort: string
  filters: Record<string, string>
}

/** A filter's name in the address, and the values it may take (any when absent). */
export interface UrlFilter {
  key: string
  values?: readonly string[] | undefined
}

const MAX_TEXT = 128

/** Reads the state from an address's query. Values that a filter cannot take are ignored. */
export function readListState(params: URLSearchParams, filters: readonly UrlFilter[]): ListUrlState {
  const found: Record<string, string> = {}
  for (const { key, values } of filters) {
    const value = params.get(key)
    if (value === null || value === '' || value.length > MAX_TEXT) continue
    if (values && !values.includes(value)) continue
    found[key] = value
  }
  const sort = params.get('sort') ?? ''
  return {
    q: (params.get('q') ?? '').slice(0, MAX_TEXT),
    sort: /^-?[A-Za-z]+$/.test(sort) ? sort : '',
    filters: found,
  }
}

/**
 * The query after a change; parameters that are not the list's own (an id, a tab) stay. `null` or '' removes an entry.
 */
export function writeListState(
  params: URLSearchParams,
  change: { q?: string; sort?: string; filters?: Record<string, string | null> },
): URLSearchParams {
  const next = new URLSearchParams(params)
  const put = (key: string, value: string | null | undefined) => {
    if (value === undefined) return
    if (value === null || value === '') next.delete(key)
    else next.set(key, value)
  }
  put('q', change.q?.slice(0, MAX_TEXT))
  put('sort', change.sort)
  for (const [key, value] of Object.entries(change.filters ?? {})) put(key, value)
  return next
}

/** The query without search, order and filters. */
export function clearListState(params: URLSearchParams, filters: readonly UrlFilter[]): URLSearchParams {
  return writeListState(params, { q: '', filters: Object.fromEntries(filters.map(({ key }) => [key, null])) })
}

/** Order after a click on a column's head: down, up, the list's own again. */
export function nextSort(current: string, key: string): string {
  if (current === `-${key}`) return key
  return current === key ? '' : `-${key}`
}

/** How many filters are set, the search not counted. */
export function filterCount(state: ListUrlState, keys?: readonly string[]): number {
  return Object.keys(state.filters).filter(key => keys === undefined || keys.includes(key)).length
}
