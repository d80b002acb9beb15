import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api-client.ts'
import { usePermission } from '../../../lib/permissions.ts'

const key = (id: string) => ['products', 'dialects', id] as const
const belowKey = (id: string) => ['products', 'sub-devices', id] as const

/** Whose firmware the product's devices may run. */
export function useDialects(id: string) {
  return useQuery({
    queryKey: key(id),
    queryFn: ({ signal }) => call('dialects.get', { params: { id }, signal }),
  })
}

export function useSetDialect(id: string) {
  const client = useQueryClient()
  return async (name: 'thingsboard' | 'alibaba', on: boolean) => {
    const view = await call('dialects.set', { params: { id }, body: { [name]: on } })
    client.setQueryData(key(id), view)
    void client.invalidateQueries({ queryKey: ['products', 'get', id] })
  }
}

/** How the devices below the product's gateways behave. */
export function useSubDeviceRules(id: string) {
  return useQuery({
    queryKey: belowKey(id),
    queryFn: ({ signal }) => call('dialects.subDevices', { params: { id }, signal }),
  })
}

export function useSetSubDeviceRules(id: string) {
  const client = useQueryClient()
  return async (body: { presence: 'gateway' | 'silence'; autoCreateProductId?: string | null; version: number }) => {
    client.setQueryData(belowKey(id), await call('dialects.setSubDevices', { params: { id }, body }))
    void client.invalidateQueries({ queryKey: ['products', 'get', id] })
  }
}

/** Products that devices below a gateway may be of, by name. */
export function useSubProducts() {
  const allowed = usePermission('product:read')
  return useQuery({
    queryKey: ['products', 'sub-products'],
    enabled: allowed,
    queryFn: ({ signal }) =>
      call('products.list', { query: { status: 'published', nodeType: 'sub_device', limit: 100 }, signal }),
    staleTime: 30_000,
  })
}
