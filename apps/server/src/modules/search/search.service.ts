import type { ResponseOf } from '@thingwright/contracts'
import type { Permission } from '@thingwright/contracts/permissions'
import type { SearchHit, SearchKind, searchContract } from '@thingwright/contracts/search.contract'
import type { Ctx } from '../../lib/context.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'

/** Where objects of a kind are found. Its own rules decide what the caller sees; it is not asked without the right. */
export interface SearchSource {
  kind: SearchKind
  permission: Permission
  find(ctx: Ctx, q: string, limit: number): Promise<SearchHit[]>
}

export interface SearchService {
  /** Asks every source the caller may use at once; kinds without a hit are left out. */
  find(ctx: Ctx, input: { q: string }): Promise<ResponseOf<(typeof searchContract)['find']>>
}

const SHOWN = 6

export function createSearchService(sources: readonly SearchSource[]): SearchService {
  return {
    async find(ctx, { q }) {
      const { actor } = ctx
      if (actor.kind === 'system' || normaliseForSearch(q) === '') return { groups: [] }
      const allowed = sources.filter(source => actor.permissions.has(source.permission))
      const groups = await Promise.all(
        allowed.map(async ({ kind, find }) => {
          const items = await find(ctx, q, SHOWN + 1)
          return { kind, items: items.slice(0, SHOWN), more: items.length > SHOWN }
        }),
      )
      return { groups: groups.filter(({ items }) => items.length > 0) }
    },
  }
}
