import { type Static, Type } from 'typebox'
import { Id, Words } from './common.ts'
import type { ModuleFacts } from './module.ts'
import { MODULES } from './modules.ts'
import { route } from './route.ts'

const OWN = ['device', 'product', 'firmware', 'member', 'role', 'media', 'company'] as const
type KindsOf<M> = M extends { found: infer K extends readonly string[] } ? K[number] : never
const ofModules = (MODULES as readonly ModuleFacts[]).flatMap(({ found = [] }) => found) as KindsOf<
  (typeof MODULES)[number]
>[]

/** In the order in which they are shown. */
export const SEARCH_KINDS: readonly ((typeof OWN)[number] | KindsOf<(typeof MODULES)[number]>)[] = [
  ...OWN,
  ...ofModules,
]
/** Kinds of objects that can be found from everywhere. */
export const SearchKind = Words(SEARCH_KINDS)
export type SearchKind = Static<typeof SearchKind>

export const SearchHit = Type.Object({
  id: Id,
  title: Type.String(),
  subtitle: Type.String(),
  link: Type.String({ description: 'Address in the console' }),
})
export type SearchHit = Static<typeof SearchHit>

export const searchContract = {
  find: route({
    method: 'GET',
    path: '/api/v1/search',
    tag: 'Search',
    summary: 'Objects of every kind the caller may see, at most 6 of each',
    permission: 'signed-in',
    apiKeys: true,
    query: Type.Object({ q: Type.String({ maxLength: 64 }) }),
    response: Type.Object({
      groups: Type.Array(
        Type.Object({
          kind: SearchKind,
          title: Type.String({ description: 'Of the kind, in the language of the request' }),
          items: Type.Array(SearchHit),
          more: Type.Boolean({ description: 'There are more' }),
        }),
      ),
    }),
  }),
}
