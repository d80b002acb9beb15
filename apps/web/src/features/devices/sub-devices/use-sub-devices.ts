import { every } from '../../../lib/every.ts'
import { useMay } from '../../../lib/permissions.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** Whether a product's devices are gateways, devices below one, or neither; undefined until it is known. */
export function useNodeType(productId: string | undefined): 'device' | 'gateway' | 'sub_device' | undefined {
  const allowed = useMay('products.get')
  const product = useRead(
    'products.get',
    { params: { id: productId ?? '' } },
    { enabled: allowed && productId !== undefined, staleTime: 60_000 },
  )
  return product.data?.nodeType
}

/** Devices bound to a gateway, page by page; states are refreshed quietly. */
export function useSubDevices(id: string, q: string) {
  return usePages(
    'subDevices.list',
    { params: { id }, query: { limit: 50, total: '1', ...(q ? { q } : {}) } },
    { refetchInterval: every(15_000) },
  )
}

/** The gateway of a device, or null. */
export function useGateway(id: string) {
  return useRead('subDevices.gateway', { params: { id } })
}
