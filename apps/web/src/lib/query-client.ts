import { QueryCache, QueryClient } from '@tanstack/react-query'
import { showError } from './errors.ts'
import { onSessionEnd } from './session.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** `ownError: true` means that the caller shows the failure itself. */
    queryMeta: { ownError?: boolean }
  }
}

/**
 * The one cache of server state. Requests repeat themselves (lib/api), so nothing is retried here. A failed read is shown
 * by the page (`ErrorState`), and as a notice only when the page still shows older data and unless `meta.ownError`; what
 * is done goes through `useWork`.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, gcTime: 300_000, refetchOnWindowFocus: true },
  },
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.state.data !== undefined && !query.meta?.ownError) showError(error)
    },
  }),
})

// Nothing of one person may be seen by the next.
onSessionEnd(() => queryClient.clear())
