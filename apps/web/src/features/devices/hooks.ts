import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryOf } from '@thingwright/contracts'
import type { DeviceView, devicesContract } from '@thingwright/contracts/devices.contract'
import { emptyModel, type ThingModel } from '@thingwright/thing-model/model'
import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { call } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import type { LiveReads } from '../../lib/live/live-reads.ts'
import { usePermission } from '../../lib/permissions.ts'
import { groupsKey } from '../../ui/group-tree/use-groups.ts'
import type { FetchPage, ListReply } from '../../ui/list-page/list-types.ts'
import { listKey } from '../../ui/list-page/use-list-query.ts'

export const DEVICES = ['devices'] as const
export const RECYCLED = ['devices', 'recycled'] as const
export const deviceKey = (id: string) => ['devices', 'get', id] as const
export const countsKey = ['devices', 'counts'] as const

type ListQuery = QueryOf<(typeof devicesContract)['list']>

export const fetchDevices: FetchPage<DeviceView> = ({ filters, ...input }, signal) =>
  call('devices.list', { query: { ...input, ...filters } as ListQuery, signal })

export const fetchRecycled: FetchPage<DeviceView> = ({ filters, ...input }, signal) =>
  call('devices.list', { query: { ...input, ...filters, lifecycle: 'recycled' } as ListQuery, signal })

/** The device that the page's `?id=` names. */
export function useDeviceId(): string {
  return useSearchParams()[0].get('id') ?? ''
}

/** @param reads of the page that listens to the device as well */
export function useDevice(id: string, reads?: Pick<LiveReads, 'read'>) {
  const ask = ({ signal }: { signal: AbortSignal }) => call('devices.get', { params: { id }, signal })
  return useQuery({
    queryKey: deviceKey(id),
    enabled: id !== '',
    queryFn: reads ? reads.read(ask) : ask,
  })
}

/** How many devices there are by state; refreshed quietly. */
export function useDeviceCounts() {
  const allowed = usePermission('device:read')
  return useQuery({
    queryKey: countsKey,
    enabled: allowed,
    queryFn: ({ signal }) => call('devices.counts', { signal }),
    refetchInterval: every(15_000),
  })
}

/** Takes over a device as the server returned it; lists, counts and groups are read anew. */
export function useDeviceChanged(): (device?: DeviceView) => void {
  const client = useQueryClient()
  return useCallback(
    device => {
      if (device) client.setQueryData(deviceKey(device.id), device)
      void client.invalidateQueries({ queryKey: listKey(DEVICES) })
      void client.invalidateQueries({ queryKey: listKey(RECYCLED) })
      void client.invalidateQueries({ queryKey: countsKey })
      void client.invalidateQueries({ queryKey: groupsKey('device') })
    },
    [client],
  )
}

/** Applies a change to a device wherever it is shown: in its detail and in every list page. */
export function patchDevice(client: QueryClient, id: string, patch: Partial<DeviceView>): void {
  client.setQueryData<DeviceView>(deviceKey(id), known => (known ? { ...known, ...patch } : known))
  client.setQueriesData<ListReply<DeviceView>>(
    { queryKey: listKey(DEVICES) },
    page => page && patchedPage(page, id, patch),
  )
}

/** A page of the list with one device's states as they are now. */
export function patchedPage(
  page: ListReply<DeviceView>,
  id: string,
  patch: Partial<DeviceView>,
): ListReply<DeviceView> {
  if (!page.items.some(device => device.id === id)) return page
  return { ...page, items: page.items.map(device => (device.id === id ? { ...device, ...patch } : device)) }
}

const PATCHED = [
  'link',
  'lifecycle',
  'alarmLevel',
  'lastSeenAt',
  'onlineSince',
  'lastOfflineAt',
  'lastOfflineReason',
] as const satisfies readonly (keyof DeviceView)[]

/** The fields of a live patch or snapshot that a device's views take over. */
export function statePatch(patch: unknown): Partial<DeviceView> {
  const given = (typeof patch === 'object' && patch !== null ? patch : {}) as Record<string, unknown>
  return Object.fromEntries(PATCHED.flatMap(key => (given[key] === undefined ? [] : [[key, given[key]]])))
}

/** The thing model that devices of the product are checked against, else its draft. */
export function useThingModel(productId: string | undefined): { model: ThingModel | null; error: unknown } {
  const allowed = usePermission('product:read')
  const product = useQuery({
    queryKey: ['products', 'get', productId ?? ''],
    enabled: allowed && productId !== undefined,
    queryFn: ({ signal }) => call('products.get', { params: { id: productId ?? '' }, signal }),
    staleTime: 60_000,
  })
  const { data } = product
  const model = useMemo(
    () => (data ? { ...emptyModel(), ...((data.publishedModel ?? data.thingModel) as Partial<ThingModel>) } : null),
    [data],
  )
  return { model, error: product.error }
}

export const deviceModelKey = (id: string) => ['devices', 'model', id] as const

/** The thing model in force for one device: its product's, with what is its own over it. */
export function useDeviceModel(device: Pick<DeviceView, 'id'>) {
  const query = useQuery({
    queryKey: deviceModelKey(device.id),
    queryFn: ({ signal }) => call('thingModels.deviceModel', { params: { id: device.id }, signal }),
    staleTime: 60_000,
  })
  const { data } = query
  const model = useMemo(() => (data ? { ...emptyModel(), ...(data.model as Partial<ThingModel>) } : null), [data])
  return { model, data: data ?? null, error: query.error, refetch: query.refetch }
}

/** Products to filter by, searched at the server as the person types: those that the person sees. */
export function useProductChoices() {
  const [q, setQ] = useState('')
  const allowed = usePermission('product:read')
  const products = useQuery({
    queryKey: ['products', 'choices', q],
    enabled: allowed,
    queryFn: ({ signal }) => call('products.list', { query: { limit: 50, ...(q === '' ? {} : { q }) }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  return useChoices(products.data?.items, setQ, products.isFetching)
}

/** Published products to make a device of: those of the whole company, whatever part of it the person sees. */
export function useProductCatalogue() {
  const [q, setQ] = useState('')
  const allowed = usePermission('device:write')
  const products = useQuery({
    queryKey: ['products', 'catalogue', q],
    enabled: allowed,
    queryFn: ({ signal }) => call('products.catalogue', { query: q === '' ? {} : { q }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  return useChoices(products.data?.items, setQ, products.isFetching)
}

function useChoices(items: { id: string; name: string }[] | undefined, setQ: (q: string) => void, loading: boolean) {
  const choices = useMemo(() => (items ?? []).map(({ id, name }) => ({ value: id, label: name })), [items])
  return { choices, setQ, loading }
}
