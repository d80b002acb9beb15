import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { useCallback, useMemo, useRef } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { useLiveReads } from '../../lib/live-reads.ts'
import { useMay } from '../../lib/permissions.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

/**
 * Pages of the list; `fixed` is what a tab adds to the filters. Storms are merged where the whole company is looked at:
 * who asks for certain alarms sees each of them.
 */
export function fetchAlarms(fixed: Query<'alarms.list'>): FetchPage<AlarmView> {
  return ({ filters, ...input }, signal) => {
    const isWhole = !input.q && Object.keys(filters).every(key => key === 'level')
    const query = { ...input, ...filters, ...fixed, ...(isWhole ? { merged: '1' } : {}) } as Query<'alarms.list'>
    return call('alarms.list', { query, signal })
  }
}

/** How many are active now, for headings. */
export function useAlarmCounts(about: Query<'alarms.counts'> = {}) {
  const allowed = useMay('alarms.counts')
  return useRead('alarms.counts', { query: about }, { enabled: allowed, keep: true })
}

export function useAlarm(id: string) {
  const allowed = useMay('alarms.get')
  return useRead('alarms.get', { params: { id } }, { enabled: allowed && id !== '' })
}

/** At most so often is a list read again that only the server can put in order. */
const REREAD_MS = 1_000

/**
 * Follows the alarms of the company: rows that are shown change in place, lists and counts are read again at most once
 * a second, however many alarms a storm brings.
 * @param hear told of each alarm that was raised or changed
 */
export function useAlarmsLive(hear?: (alarm: AlarmView) => void): void {
  const cache = useCache()
  const allowed = useMay('alarms.list')
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const latest = useRef(hear)
  latest.current = hear
  const soon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null
      void cache.touch('alarms.list', 'alarms.counts', 'alarms.events', 'alarms.occurrences')
    }, REREAD_MS)
  }, [cache])
  useLiveReads([allowed ? 'alarms' : null], 'alarms.counts', event => {
    const alarm = event.patch as unknown as AlarmView
    cache.patch('alarms.list', reply => ({
      ...reply,
      items: reply.items.map(each => (each.id === alarm.id ? { ...each, ...alarm } : each)),
    }))
    cache.patch('alarms.get', reply => ({ ...reply, ...alarm }), { params: { id: alarm.id } })
    latest.current?.(alarm)
    soon()
    return undefined
  })
}

interface PropertyLook {
  name: string
  unit: string
}

/** Names and units of a product's properties, by identifier. */
export function useProperties(productId: string | null): ReadonlyMap<string, PropertyLook> {
  const allowed = useMay('products.get')
  const { data } = useRead(
    'products.get',
    { params: { id: productId ?? '' } },
    { enabled: allowed && productId !== null, staleTime: 60_000 },
  )
  return useMemo(() => {
    const model = (data?.publishedModel ?? data?.thingModel) as
      | { properties?: { identifier: string; name?: string; unit?: string }[] }
      | undefined
    return new Map(
      (model?.properties ?? []).map(each => [
        each.identifier,
        { name: each.name ?? each.identifier, unit: each.unit ?? '' },
      ]),
    )
  }, [data])
}

/** Members that an alarm can be given to. */
export function useAssignees(q: string) {
  const allowed = useMay('members.list')
  return useRead(
    'members.list',
    { query: { limit: 50, state: 'active', ...(q === '' ? {} : { q }) } },
    { enabled: allowed, keep: true, staleTime: 30_000 },
  )
}
