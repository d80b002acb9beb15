import type { AddressView } from '@thingwright/contracts/addresses.contract'
import { call } from '../../lib/api-client.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

/** All of them come at once (twenty at most): they are searched here. */
export const fetchAddresses: FetchPage<AddressView> = async ({ q = '' }, signal) => {
  const { items } = await call('addresses.list', { signal })
  const needle = q.trim().toLowerCase()
  const found = items.filter(item => needle === '' || addressText(item).toLowerCase().includes(needle))
  return { items: found, nextCursor: null, total: found.length }
}

export function useAddressCount() {
  return useRead('addresses.list', {}, { select: ({ items, limit }) => ({ count: items.length, limit }) })
}

export function useRegions() {
  return useRead('addresses.regions', {}, { staleTime: Number.POSITIVE_INFINITY })
}

/** Province, city, district and detail in one line; a municipality is not said twice. */
export function placeText({ province, city, district, detail }: Omit<AddressView, 'id'>): string {
  return `${province}${city === province ? '' : city}${district}${detail}`
}

/** The whole address, as it is copied. */
export function addressText(address: AddressView): string {
  return [address.receiver, address.phone, placeText(address), address.zip].filter(Boolean).join(' ')
}
