import { API_PATHS } from '@thingwright/contracts/api-paths'
import { REPORT_LISTS } from '@thingwright/contracts/reports.words'
import type { ListInput } from './list-types.ts'

/**
 * Where a list as it is filtered becomes a report that is mailed on time; null: it is none of the lists that can.
 * @param exportPath of the server's own export, with what is fixed in its query
 */
export function scheduleAddress(
  exportPath: string,
  { q, sort, filters }: Pick<ListInput, 'q' | 'sort' | 'filters'>,
  name: string,
): string | null {
  const [path = '', fixed = ''] = exportPath.split('?')
  for (const list of REPORT_LISTS) {
    const params = paramsOf(API_PATHS[list][1], path)
    if (!params) continue
    const all = { ...filters, q, sort, ...Object.fromEntries(new URLSearchParams(fixed)) }
    const query = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''))
    const asked = { list, ...(Object.keys(params).length > 0 ? { params } : {}), query, name }
    return `/stat/reports?new=${encodeURIComponent(JSON.stringify(asked))}`
  }
  return null
}

/** What stands in the places of an address; null: it is another one. */
function paramsOf(template: string, path: string): Record<string, string> | null {
  const names = template.split('/')
  const given = path.split('/')
  if (names.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [at, name] of names.entries()) {
    const [, key] = /^\{(\w+)\}$/.exec(name) ?? []
    if (key) params[key] = decodeURIComponent(given[at]!)
    else if (name !== given[at]) return null
  }
  return params
}
