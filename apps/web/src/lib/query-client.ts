import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { showError } from './errors.ts'
import { onSessionEnd } from './session.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** `ownError: true` means that the caller shows the failure itself. */
    mutationMeta: { ownError?: boolean }
    queryMeta: { ownError?: boolean }
  }
}

/**
 * The one cache of server state. Requests repeat themselves (lib/api), so nothing is retried here. A failed write is
 * shown as a notice unless `meta.ownError`; a failed read is shown by the page (`ErrorState`), and as a notice only
 * when the page still shows older data.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, gcTime: 300_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.state.data !== undefined && !query.meta?.ownError) showError(error)
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      if (!mutation.meta?.ownError) showError(error)
    },
  }),
})

// Nothing of one person may be seen by the next.
onSessionEnd(() => queryClient.clear())
