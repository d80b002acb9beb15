import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Nullable, Version } from './common.ts'
import { route } from './route.ts'

/** One entry of the installation's menu with every field there is (specification §2). */
export const MenuEntry = Type.Object({
  id: Id,
  parentId: Nullable(Id),
  name: Type.String(),
  ename: Type.String(),
  /** Sanitised SVG. */
  icon: Type.String(),
  path: Type.String(),
  /** Depth level, 1 for the top. */
  sort: Type.Integer(),
  /** Ids from the top down to the entry, joined by "/". */
  idPath: Type.String(),
  /** Place among its siblings. */
  order: Type.Integer(),
  /** 0: an address of the console; 1: a plain entry, opened in a new window. */
  jump: Type.Integer(),
  hidden: Type.Boolean(),
  operatorOnly: Type.Boolean(),
  buttonCodes: Type.Array(Type.String()),
  /** Came with the installation. */
  builtin: Type.Boolean(),
  /** Its page is part of this version. */
  built: Type.Boolean(),
  version: Type.Integer(),
  updatedAt: IsoTime,
})
export type MenuEntry = Static<typeof MenuEntry>

const List = Type.Object({ items: Type.Array(MenuEntry) })
const MenuName = Type.String({ minLength: 1, maxLength: 64 })

const fields = {
  ename: Type.Optional(Type.String({ maxLength: 64 })),
  icon: Type.Optional(Type.String({ maxLength: 8192, description: 'SVG; cleaned by an allow-list' })),
  path: Type.Optional(Type.String({ maxLength: 256, description: 'Empty for a group' })),
  jump: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
  hidden: Type.Optional(Type.Boolean()),
  operatorOnly: Type.Optional(Type.Boolean()),
  buttonCodes: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$', maxLength: 64 }), {
      maxItems: 50,
      uniqueItems: true,
    }),
  ),
  parentId: Type.Optional(Nullable(Id)),
}

/** The menu of the installation; every route asks for the dev flag too. */
export const menuEditorContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/menu-items',
    tag: 'Menus',
    summary: 'The whole menu, flat, parents before children',
    permission: 'menu:write',
    response: List,
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/menu-items',
    tag: 'Menus',
    summary: 'Adds an entry',
    permission: 'menu:write',
    audit: 'menu.create',
    status: 201,
    body: Type.Object({ name: MenuName, ...fields }, { additionalProperties: false }),
    response: MenuEntry,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/menu-items/{id}',
    tag: 'Menus',
    summary: 'Changes an entry, moves it or gives it another place',
    permission: 'menu:write',
    audit: 'menu.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(MenuName),
        ...fields,
        order: Type.Optional(Type.Integer({ minimum: 0, maximum: 100000 })),
      },
      { additionalProperties: false },
    ),
    response: MenuEntry,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/menu-items/{id}',
    tag: 'Menus',
    summary: 'Removes an entry that has nothing below it',
    permission: 'menu:write',
    audit: 'menu.remove',
    params: IdParams,
    response: Type.Object({ ok: Type.Boolean() }),
  }),
  reset: route({
    method: 'POST',
    path: '/api/v1/menu-items/reset',
    tag: 'Menus',
    summary: 'The menu as it came with the installation; entries added since are removed',
    permission: 'menu:write',
    audit: 'menu.reset',
    response: List,
  }),
}
