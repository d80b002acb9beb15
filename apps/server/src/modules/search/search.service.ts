import type { ResponseOf } from '@thingwright/contracts'
import { allWords } from '@thingwright/contracts/module-words'
import type { searchContract } from '@thingwright/contracts/search.contract'
import type { Ctx } from '../../lib/context.ts'
import type { SearchSource } from '../../lib/found.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'

export interface SearchService {
  /** Asks every source the caller may use at once; kinds without a hit are left out. */
  find(ctx: Ctx, input: { q: string }): Promise<ResponseOf<(typeof searchContract)['find']>>
}

const SHOWN = 6

/** @param sources of all modules, asked for when somebody searches: then all modules are made */
export function createSearchService(sources: () => readonly SearchSource[]): SearchService {
  return {
    async find(ctx, { q }) {
      const { actor } = ctx
      if (actor.kind === 'system' || normaliseForSearch(q) === '') return { groups: [] }
      const allowed = sources().filter(source => actor.permissions.has(source.permission))
      const groups = await Promise.all(
        allowed.map(async ({ kind, find }) => {
          const items = await find(ctx, q, SHOWN + 1)
          return {
            kind,
            title: allWords(ctx.locale).noun[kind] ?? kind,
            items: items.slice(0, SHOWN),
            more: items.length > SHOWN,
          }
        }),
      )
      return { groups: groups.filter(({ items }) => items.length > 0) }
    },
  }
}
