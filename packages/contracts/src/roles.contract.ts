import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import type { MenuItem } from './identity.contract.ts'
import { route } from './route.ts'

const Kind = <const K extends string>(kind: K) => Type.Unsafe<K>({ type: 'string', const: kind })

/** Which of the company's products and devices a role shows. */
export const RoleDataScope = Type.Union([
  Type.Object({ kind: Words(['all', 'own_groups', 'own']) }, { additionalProperties: false }),
  Type.Object(
    { kind: Kind('groups'), groupIds: Type.Array(Id, { minItems: 1, maxItems: 200, uniqueItems: true }) },
    { additionalProperties: false },
  ),
  Type.Object(
    { kind: Kind('products'), productIds: Type.Array(Id, { minItems: 1, maxItems: 200, uniqueItems: true }) },
    { additionalProperties: false },
  ),
])
export type RoleDataScope = Static<typeof RoleDataScope>

export const RoleView = Type.Object({
  id: Id,
  key: Type.String(),
  name: Type.String(),
  ename: Type.String(),
  description: Type.String(),
  /** `*` stands for all. */
  permissions: Type.Array(Type.String()),
  menuKeys: Type.Array(Type.String()),
  dataScope: RoleDataScope,
  /** Whoever holds the role needs a second step to sign in. */
  requireSecondFactor: Type.Boolean(),
  builtin: Type.Boolean(),
  memberCount: Type.Integer(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type RoleView = Static<typeof RoleView>

const content = {
  name: Name,
  ename: Type.Optional(Type.String({ maxLength: 64 })),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  permissions: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 200, uniqueItems: true }),
  menuKeys: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 300, uniqueItems: true }),
  dataScope: RoleDataScope,
  requireSecondFactor: Type.Optional(
    Type.Boolean({ description: 'Changed only by holders of security:write; asked for at the next sign-in' }),
  ),
}

export const RoleMemberView = Type.Object({
  id: Id,
  username: Type.String(),
  displayName: Type.String(),
  state: Words(['active', 'frozen']),
})

/** What somebody with only this role would have. */
export const RolePreview = Type.Object({
  role: Type.Object({ id: Id, key: Type.String(), name: Type.String(), ename: Type.String() }),
  permissions: Type.Array(Type.String()),
  menuPermissions: Type.Array(Type.String()),
  menus: Type.Array(Type.Unsafe<MenuItem>({ type: 'object', additionalProperties: true })),
  dataScope: RoleDataScope,
})
export type RolePreview = Static<typeof RolePreview>

const Difference = Type.Object({
  onlyLeft: Type.Array(Type.String()),
  onlyRight: Type.Array(Type.String()),
  both: Type.Array(Type.String()),
})

/** Two roles beside each other, `*` opened up. */
export const RoleDiff = Type.Object({
  left: RoleView,
  right: RoleView,
  permissions: Difference,
  menuKeys: Difference,
  sameDataScope: Type.Boolean(),
})
export type RoleDiff = Static<typeof RoleDiff>

const Grantor = Type.Object({
  id: Id,
  username: Type.String(),
  displayName: Type.String(),
  roles: Type.Array(Type.String()),
})

/** Why something is or is not allowed. */
export const Explanation = Type.Object({
  allowed: Type.Boolean(),
  reason: Words(['allowed', 'permission_missing', 'outside_scope', 'not_found', 'operator_only', 'no_roles']),
  permission: Nullable(Type.String()),
  object: Nullable(Type.Object({ type: Words(['device', 'product']), id: Id })),
  /** The caller's roles, each with whether it would allow it. */
  roles: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      ename: Type.String(),
      grants: Type.Boolean(),
      dataScope: RoleDataScope,
    }),
  ),
  /** Active people of the company who hold the right and may give roles. */
  canGrant: Type.Array(Grantor),
})
export type Explanation = Static<typeof Explanation>

/** An entry of the menu with the keys that opening it takes. */
export interface MenuChoice {
  id: string
  name: string
  ename: string
  icon: string
  path: string
  /** The entry's own key and those of the pages behind it. */
  keys: string[]
  buttonCodes: string[]
  children: MenuChoice[]
}

export const rolesContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/roles',
    tag: 'Roles',
    summary: 'Roles of the company, built-in ones first unless sorted',
    permission: 'role:read',
    query: Type.Object({ ...listQuery, builtin: Type.Optional(Words(['0', '1'])) }),
    response: listOf(RoleView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/roles/export',
    tag: 'Roles',
    summary: 'The roles of the filters as a file',
    permission: 'role:read',
    query: Type.Object({
      q: listQuery.q,
      sort: listQuery.sort,
      builtin: Type.Optional(Words(['0', '1'])),
      format: Words(['csv', 'xlsx']),
    }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  menus: route({
    method: 'GET',
    path: '/api/v1/roles/menu-choices',
    tag: 'Roles',
    summary: 'The menu as a role can be given it, and the rights it can be given',
    permission: 'role:read',
    response: Type.Object({
      items: Type.Array(Type.Unsafe<MenuChoice>({ type: 'object', additionalProperties: true })),
      permissions: Type.Array(Type.String()),
    }),
  }),
  diff: route({
    method: 'GET',
    path: '/api/v1/roles/diff',
    tag: 'Roles',
    summary: 'Compares two roles',
    permission: 'role:read',
    query: Type.Object({ left: Id, right: Id }),
    response: RoleDiff,
  }),
  explain: route({
    method: 'GET',
    path: '/api/v1/access/why',
    tag: 'Roles',
    summary: 'Why the caller was refused: which of his roles lack what, and who can grant it',
    permission: 'signed-in',
    query: Type.Object({
      permission: Type.Optional(Type.String({ maxLength: 64 })),
      objectType: Type.Optional(Words(['device', 'product'])),
      objectId: Type.Optional(Id),
    }),
    response: Explanation,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/roles/{id}',
    tag: 'Roles',
    summary: 'One role',
    permission: 'role:read',
    params: IdParams,
    response: RoleView,
  }),
  members: route({
    method: 'GET',
    path: '/api/v1/roles/{id}/members',
    tag: 'Roles',
    summary: 'Who holds the role',
    permission: 'role:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(RoleMemberView) }),
  }),
  preview: route({
    method: 'GET',
    path: '/api/v1/roles/{id}/preview',
    tag: 'Roles',
    summary: 'Menu and rights of somebody who has only this role',
    permission: 'role:read',
    params: IdParams,
    response: RolePreview,
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/roles',
    tag: 'Roles',
    summary: 'Adds a role; nobody grants more than he has',
    permission: 'role:write',
    audit: 'role.create',
    status: 201,
    body: Type.Object(content, { additionalProperties: false }),
    response: RoleView,
  }),
  copy: route({
    method: 'POST',
    path: '/api/v1/roles/{id}/copy',
    tag: 'Roles',
    summary: 'A role of the company’s own with what this one has; the way to change a built-in role',
    permission: 'role:write',
    audit: 'role.create',
    status: 201,
    params: IdParams,
    body: Type.Object({ name: Name }, { additionalProperties: false }),
    response: RoleView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/roles/{id}',
    tag: 'Roles',
    summary: 'Changes a role; takes effect at once for everybody who holds it',
    permission: 'role:write',
    audit: 'role.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(content.name),
        ename: content.ename,
        description: content.description,
        permissions: Type.Optional(content.permissions),
        menuKeys: Type.Optional(content.menuKeys),
        dataScope: Type.Optional(content.dataScope),
        requireSecondFactor: content.requireSecondFactor,
      },
      { additionalProperties: false },
    ),
    response: RoleView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/roles/{id}',
    tag: 'Roles',
    summary: 'Removes a role that nobody holds',
    permission: 'role:write',
    audit: 'role.remove',
    params: IdParams,
    response: Ok,
  }),
}
