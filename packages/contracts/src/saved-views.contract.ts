import { type Static, Type } from 'typebox'
import { Id, IdParams, Name, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'

const ListName = Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$', description: 'Which list, as its page names it' })
const Key = Type.String({ minLength: 1, maxLength: 64 })

/** How a list is shown: what the address holds, and what one person chose beside it. */
export const ViewSettings = Type.Object(
  {
    query: Type.String({ maxLength: 2000, description: 'Search, filters and order as in the address' }),
    columns: Nullable(Type.Array(Key, { maxItems: 60 })),
    widths: Type.Record(Type.String({ maxLength: 64 }), Type.Integer({ minimum: 40, maximum: 1200 }), {
      maxProperties: 60,
    }),
    density: Words(['normal', 'dense']),
  },
  { additionalProperties: false },
)
export type ViewSettings = Static<typeof ViewSettings>

export const SavedView = Type.Object({
  id: Id,
  list: Type.String(),
  name: Type.String(),
  shared: Type.Boolean({ description: 'The whole company sees it' }),
  mine: Type.Boolean({ description: 'Made by the caller: he may change and remove it' }),
  ownerName: Type.String(),
  isDefault: Type.Boolean({ description: 'The list opens with it for the caller' }),
  settings: ViewSettings,
  version: Type.Integer(),
})
export type SavedView = Static<typeof SavedView>

export const savedViewsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/saved-views',
    tag: 'Saved views',
    summary: 'The caller’s views of a list and those shared with the company',
    permission: 'signed-in',
    query: Type.Object({ list: ListName }),
    response: Type.Object({ items: Type.Array(SavedView) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/saved-views',
    tag: 'Saved views',
    summary: 'Keeps a view under a name (at most 50 of a list)',
    permission: 'signed-in',
    audit: 'saved_view.create',
    status: 201,
    body: Type.Object(
      { list: ListName, name: Name, shared: Type.Optional(Type.Boolean()), settings: ViewSettings },
      { additionalProperties: false },
    ),
    example: {
      body: { list: 'devices', name: 'Mine', settings: { query: '', columns: null, widths: {}, density: 'normal' } },
    },
    response: SavedView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/saved-views/{id}',
    tag: 'Saved views',
    summary: 'Renames, shares or replaces an own view',
    permission: 'signed-in',
    audit: 'saved_view.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        shared: Type.Optional(Type.Boolean()),
        settings: Type.Optional(ViewSettings),
      },
      { additionalProperties: false },
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', name: 'Ours', shared: true } },
    response: SavedView,
  }),
  setDefault: route({
    method: 'PUT',
    path: '/api/v1/saved-views/default',
    tag: 'Saved views',
    summary: 'Chooses the view that a list opens with; null: as designed',
    permission: 'signed-in',
    audit: { none: 'what one person sees first is nobody else’s concern' },
    body: Type.Object({ list: ListName, viewId: Nullable(Id) }, { additionalProperties: false }),
    example: { body: { list: 'devices', viewId: '{{create.id}}' } },
    response: Ok,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/saved-views/{id}',
    tag: 'Saved views',
    summary: 'Removes an own view',
    permission: 'signed-in',
    audit: 'saved_view.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
