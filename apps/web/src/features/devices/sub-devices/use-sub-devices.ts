import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { usePermission } from '../../../lib/permissions.ts'

const key = (id: string) => ['devices', 'sub-devices', id] as const

/** Whether a product's devices are gateways, devices below one, or neither; undefined until it is known. */
export function useNodeType(productId: string | undefined): 'device' | 'gateway' | 'sub_device' | undefined {
  const allowed = usePermission('product:read')
  const product = useQuery({
    queryKey: ['products', 'get', productId ?? ''],
    enabled: allowed && productId !== undefined,
    queryFn: ({ signal }) => call('products.get', { params: { id: productId ?? '' }, signal }),
    staleTime: 60_000,
  })
  return product.data?.nodeType
}

/** Devices bound to a gateway, page by page; states are refreshed quietly. */
export function useSubDevices(id: string, q: string) {
  return useInfiniteQuery({
    queryKey: [...key(id), q],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call('subDevices.list', {
        params: { id },
        query: {
          limit: 50,
          total: '1',
          ...(q ? { q } : {}),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    getNextPageParam: page => page.nextCursor ?? undefined,
    refetchInterval: every(15_000),
  })
}

export function useSubDevicesChanged(): (id: string) => void {
  const client = useQueryClient()
  return useCallback(
    id => {
      void client.invalidateQueries({ queryKey: key(id) })
      void client.invalidateQueries({ queryKey: ['devices', 'gateway'] })
    },
    [client],
  )
}

/** The gateway of a device, or null. */
export function useGateway(id: string) {
  return useQuery({
    queryKey: ['devices', 'gateway', id],
    queryFn: ({ signal }) => call('subDevices.gateway', { params: { id }, signal }),
  })
}
