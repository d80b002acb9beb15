/** As much of a query as an interval needs to know. */
interface Read {
  state: { data: unknown; status: string }
}

/**
 * For `refetchInterval`: reads again so often, in ms. What could not be read even once waits for the person who tries
 * again: it would change between its error and its skeleton for ever.
 */
export function every(ms: number | false): (query: Read) => number | false {
  return ({ state }) => (state.status === 'error' && state.data === undefined ? false : ms)
}
