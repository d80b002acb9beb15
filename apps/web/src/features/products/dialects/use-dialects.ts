import { call } from '../../../lib/api-client.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** Whose firmware the product's devices may run. */
export function useDialects(id: string) {
  return useRead('dialects.get', { params: { id } })
}

export function useSetDialect(id: string) {
  const cache = useCache()
  return async (name: 'thingsboard' | 'alibaba', on: boolean) => {
    const view = await call('dialects.set', { params: { id }, body: { [name]: on } })
    cache.put('dialects.get', { params: { id } }, view)
    void cache.touch(only('products.get', { params: { id } }))
  }
}

/** How the devices below the product's gateways behave. */
export function useSubDeviceRules(id: string) {
  return useRead('dialects.subDevices', { params: { id } })
}

export function useSetSubDeviceRules(id: string) {
  const cache = useCache()
  return async (body: { presence: 'gateway' | 'silence'; autoCreateProductId?: string | null; version: number }) => {
    cache.put('dialects.subDevices', { params: { id } }, await call('dialects.setSubDevices', { params: { id }, body }))
    void cache.touch(only('products.get', { params: { id } }))
  }
}

/** Products that devices below a gateway may be of, by name. */
export function useSubProducts() {
  const allowed = useMay('products.list')
  return useRead(
    'products.list',
    { query: { status: 'published', nodeType: 'sub_device', limit: 100 } },
    { enabled: allowed, staleTime: 30_000 },
  )
}
