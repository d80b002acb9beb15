import type { QueryOf } from '@thingwright/contracts'
import type { DeviceView, devicesContract } from '@thingwright/contracts/devices.contract'
import { emptyModel, type ThingModel } from '@thingwright/thing-model/model'
import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { call } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import type { LiveReads } from '../../lib/live/live-reads.ts'
import { useMay } from '../../lib/permissions.ts'
import { type Cache, useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { groupsOf } from '../../ui/group-tree/use-groups.ts'
import type { FetchPage, ListReply } from '../../ui/list-page/list-types.ts'

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
  return useRead('devices.get', { params: { id } }, { enabled: id !== '', through: reads?.read })
}

/** How many devices there are by state; refreshed quietly. */
export function useDeviceCounts() {
  const allowed = useMay('devices.counts')
  return useRead('devices.counts', {}, { enabled: allowed, refetchInterval: every(15_000) })
}

/** Takes over a device as the server returned it. */
export function useDeviceChanged(): (device: DeviceView) => void {
  const cache = useCache()
  return useCallback(device => cache.put('devices.get', { params: { id: device.id } }, device), [cache])
}

/** What shows many devices: all that is out of date where one is gone, or where many changed in the background. */
export const DEVICE_LISTS = ['devices.list', 'devices.counts', groupsOf('device')] as const

/** Applies a change to a device wherever it is shown: in its detail and in every list page. */
export function patchDevice(cache: Cache, id: string, patch: Partial<DeviceView>): void {
  cache.patch('devices.get', known => ({ ...known, ...patch }), { params: { id } })
  cache.patchMade<ListReply<DeviceView>>('devices.list', page => patchedPage(page, id, patch))
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
  const allowed = useMay('products.get')
  const product = useRead(
    'products.get',
    { params: { id: productId ?? '' } },
    { enabled: allowed && productId !== undefined, staleTime: 60_000 },
  )
  const { data } = product
  const model = useMemo(
    () => (data ? { ...emptyModel(), ...((data.publishedModel ?? data.thingModel) as Partial<ThingModel>) } : null),
    [data],
  )
  return { model, error: product.error }
}

/** The thing model in force for one device: its product's, with what is its own over it. */
export function useDeviceModel(device: Pick<DeviceView, 'id'>) {
  const query = useRead('thingModels.deviceModel', { params: { id: device.id } }, { staleTime: 60_000 })
  const { data } = query
  const model = useMemo(() => (data ? { ...emptyModel(), ...(data.model as Partial<ThingModel>) } : null), [data])
  return { model, data: data ?? null, error: query.error, refetch: query.refetch }
}

/** Products to filter by, searched at the server as the person types: those that the person sees. */
export function useProductChoices() {
  const [q, setQ] = useState('')
  const allowed = useMay('products.list')
  const products = useRead(
    'products.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: allowed, keep: true, staleTime: 30_000 },
  )
  return useChoices(products.data?.items, setQ, products.isFetching)
}

/** Published products to make a device of: those of the whole company, whatever part of it the person sees. */
export function useProductCatalogue() {
  const [q, setQ] = useState('')
  const allowed = useMay('products.catalogue')
  const products = useRead(
    'products.catalogue',
    { query: q === '' ? {} : { q } },
    { enabled: allowed, keep: true, staleTime: 30_000 },
  )
  return useChoices(products.data?.items, setQ, products.isFetching)
}

function useChoices(items: { id: string; name: string }[] | undefined, setQ: (q: string) => void, loading: boolean) {
  const choices = useMemo(() => (items ?? []).map(({ id, name }) => ({ value: id, label: name })), [items])
  return { choices, setQ, loading }
}
