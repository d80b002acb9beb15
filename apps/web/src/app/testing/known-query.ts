import { allContracts } from '@thingwright/contracts/all-contracts'
import type { RouteContract } from '@thingwright/contracts/route'

const routes = Object.values(allContracts)
  .flatMap(group => Object.values(group as Record<string, RouteContract>))
  .map(contract => ({
    contract,
    pattern: new RegExp(`^${contract.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    fixed: contract.path.replaceAll(/\{\w+\}/g, '').length,
  }))
  // `/devices/export` before `/devices/{id}`.
  .sort((a, b) => b.fixed - a.fixed)

/** Parameters of an address that its route does not know: the server answers 422 to them. */
export function unknownParameters(method: string, url: URL): string[] {
  if (!url.pathname.startsWith('/api/v1/')) return []
  const found = routes.find(({ contract, pattern }) => contract.method === method && pattern.test(url.pathname))
  if (!found) return []
  const known = Object.keys((found.contract.query as { properties?: object } | undefined)?.properties ?? {})
  return [...new Set(url.searchParams.keys())].filter(name => !known.includes(name))
}
