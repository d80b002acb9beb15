import { type Static, Type } from 'typebox'
import { Id, Words } from './common.ts'
import { route } from './route.ts'

/** Kinds of objects that can be found from everywhere, in the order in which they are shown. */
export const SearchKind = Words(['device', 'product', 'firmware', 'member', 'role', 'media', 'company'])
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
          items: Type.Array(SearchHit),
          more: Type.Boolean({ description: 'There are more' }),
        }),
      ),
    }),
  }),
}
