import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { AddressView } from '@thingwright/contracts/addresses.contract'
import { useCallback } from 'react'
import { call } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { listKey } from '../../ui/list-page/use-list-query.ts'

export const ADDRESSES = ['addresses'] as const

/** All of them come at once (twenty at most): they are searched here. */
export const fetchAddresses: FetchPage<AddressView> = async ({ q = '' }, signal) => {
  const { items } = await call('addresses.list', { signal })
  const needle = q.trim().toLowerCase()
  const found = items.filter(item => needle === '' || addressText(item).toLowerCase().includes(needle))
  return { items: found, nextCursor: null, total: found.length }
}

export function useAddressCount() {
  return useQuery({
    queryKey: [...ADDRESSES, 'count'],
    queryFn: async ({ signal }) => {
      const { items, limit } = await call('addresses.list', { signal })
      return { count: items.length, limit }
    },
  })
}

export function useRegions() {
  return useQuery({
    queryKey: [...ADDRESSES, 'regions'],
    queryFn: ({ signal }) => call('addresses.regions', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useAddressesChanged(): () => void {
  const client = useQueryClient()
  return useCallback(() => {
    void client.invalidateQueries({ queryKey: listKey(ADDRESSES) })
    void client.invalidateQueries({ queryKey: [...ADDRESSES, 'count'] })
  }, [client])
}

/** Province, city, district and detail in one line; a municipality is not said twice. */
export function placeText({ province, city, district, detail }: Omit<AddressView, 'id'>): string {
  return `${province}${city === province ? '' : city}${district}${detail}`
}

/** The whole address, as it is copied. */
export function addressText(address: AddressView): string {
  return [address.receiver, address.phone, placeText(address), address.zip].filter(Boolean).join(' ')
}
