import type { Permission } from '@thingwright/contracts/permissions'
import type { SearchHit, SearchKind } from '@thingwright/contracts/search.contract'
import type { Ctx } from './context.ts'

/**
 * Where the global search finds objects of a kind: it asks a list, so that the list's rules (company, data scope, rights)
 * are the search's. It is not asked without the right.
 */
export interface SearchSource {
  kind: SearchKind
  permission: Permission
  find(ctx: Ctx, q: string, limit: number): Promise<SearchHit[]>
}

/** Address of a list that shows what was found. */
export const listAt = (address: string, q: string): string => `${address}?q=${encodeURIComponent(q)}`
