import type { CallInput } from '../../../lib/api-client.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** The protocol dialects that the product's devices may speak. */
export function useDialects(id: string) {
  return useRead('dialects.get', { params: { id } })
}

export function useSetDialect(id: string, told: (input: CallInput<'dialects.set'>) => void) {
  const cache = useCache()
  return useAct('dialects.set', {
    touches: [only('products.get', { params: { id } })],
    done: (view, input) => {
      cache.put('dialects.get', { params: { id } }, view)
      told(input)
    },
  })
}

/** How the devices below the product's gateways behave. */
export function useSubDeviceRules(id: string) {
  return useRead('dialects.subDevices', { params: { id } })
}

export function useSetSubDeviceRules(id: string, told: () => void) {
  const cache = useCache()
  return useAct('dialects.setSubDevices', {
    touches: [only('products.get', { params: { id } })],
    always: true,
    done: view => {
      cache.put('dialects.subDevices', { params: { id } }, view)
      told()
    },
  })
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
