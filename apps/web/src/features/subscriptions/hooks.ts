import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { useCallback } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import { useMay } from '../../lib/permissions.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

/** How often a page that shows backlog and lag reads them anew, ms. */
const DETAIL_EVERY = 3000
export const LIST_EVERY = 5000

export const fetchSubscriptions: FetchPage<SubscriptionView> = ({ filters, sort: _, ...input }, signal) =>
  call('subscriptions.list', { query: { ...input, ...filters } as Query<'subscriptions.list'>, signal })

/** One subscription; `live` keeps its numbers true. */
export function useSubscription(id: string, live = true) {
  const allowed = useMay('subscriptions.get')
  return useRead(
    'subscriptions.get',
    { params: { id } },
    { enabled: allowed && id !== '', refetchInterval: every(live && DETAIL_EVERY) },
  )
}

/** Which targets are there in this installation, and its limits. */
export function useSubscriptionOptions() {
  const allowed = useMay('subscriptions.options')
  return useRead('subscriptions.options', {}, { enabled: allowed, staleTime: Number.POSITIVE_INFINITY })
}

/** Takes over a subscription as the server returned it. */
export function useSubscriptionChanged(): (view: SubscriptionView) => void {
  const cache = useCache()
  return useCallback(view => cache.put('subscriptions.get', { params: { id: view.id } }, view), [cache])
}
