import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { useCallback } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import { usePermission } from '../../lib/permissions.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { listKey } from '../../ui/list-page/use-list-query.ts'

export const SUBSCRIPTIONS = ['subscriptions'] as const
export const subscriptionKey = (id: string) => ['subscriptions', 'get', id] as const
export const logKey = (id: string) => ['subscriptions', 'log', id] as const
export const deadKey = (id: string) => ['subscriptions', 'dead', id] as const

/** How often a page that shows backlog and lag reads them anew, ms. */
const DETAIL_EVERY = 3000
export const LIST_EVERY = 5000

export const fetchSubscriptions: FetchPage<SubscriptionView> = ({ filters, sort: _, ...input }, signal) =>
  call('subscriptions.list', { query: { ...input, ...filters } as Query<'subscriptions.list'>, signal })

/** One subscription; `live` keeps its numbers true. */
export function useSubscription(id: string, live = true) {
  const allowed = usePermission('subscription:read')
  return useQuery({
    queryKey: subscriptionKey(id),
    enabled: allowed && id !== '',
    queryFn: ({ signal }) => call('subscriptions.get', { params: { id }, signal }),
    refetchInterval: every(live && DETAIL_EVERY),
  })
}

/** Which targets are there in this installation, and its limits. */
export function useSubscriptionOptions() {
  const allowed = usePermission('subscription:read')
  return useQuery({
    queryKey: ['subscriptions', 'options'],
    enabled: allowed,
    queryFn: ({ signal }) => call('subscriptions.options', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Takes over a subscription as the server returned it; lists, log and dead letters are read anew. */
export function useSubscriptionChanged(): (view?: SubscriptionView | { id: string }) => void {
  const client = useQueryClient()
  return useCallback(
    view => {
      void client.invalidateQueries({ queryKey: listKey(SUBSCRIPTIONS) })
      if (!view) return
      if ('version' in view) client.setQueryData(subscriptionKey(view.id), view)
      else void client.invalidateQueries({ queryKey: subscriptionKey(view.id) })
      void client.invalidateQueries({ queryKey: logKey(view.id) })
      void client.invalidateQueries({ queryKey: deadKey(view.id) })
    },
    [client],
  )
}

/** Forgets a subscription that is gone, without asking for it again. */
export function useSubscriptionRemoved(): (id: string) => void {
  const client = useQueryClient()
  return useCallback(
    id => {
      client.removeQueries({ queryKey: subscriptionKey(id) })
      void client.invalidateQueries({ queryKey: listKey(SUBSCRIPTIONS) })
    },
    [client],
  )
}
