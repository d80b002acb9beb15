import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Name, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'

export const GroupKind = Words(['device', 'product', 'user'])
export type GroupKind = Static<typeof GroupKind>

export const GroupView = Type.Object({
  id: Id,
  kind: GroupKind,
  parentId: Nullable(Id),
  name: Type.String(),
  position: Type.Integer(),
  /** Objects directly in this group. */
  count: Type.Integer(),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type GroupView = Static<typeof GroupView>

export const groupsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/groups',
    tag: 'Groups',
    summary: 'A whole group tree, flat, parents before children',
    permission: 'group:read',
    query: Type.Object({ kind: GroupKind }),
    response: Type.Object({ items: Type.Array(GroupView) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/groups',
    tag: 'Groups',
    summary: 'Adds a group (at most 8 levels)',
    permission: 'group:write',
    audit: 'group.create',
    status: 201,
    body: Type.Object(
      { kind: GroupKind, name: Name, parentId: Type.Optional(Nullable(Id)) },
      { additionalProperties: false },
    ),
    response: GroupView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/groups/{id}',
    tag: 'Groups',
    summary: 'Renames, moves or reorders a group',
    permission: 'group:write',
    audit: 'group.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        parentId: Type.Optional(Nullable(Id)),
        position: Type.Optional(Type.Integer({ minimum: 0, maximum: 100000 })),
      },
      { additionalProperties: false },
    ),
    response: GroupView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/groups/{id}',
    tag: 'Groups',
    summary: 'Removes an empty group',
    permission: 'group:write',
    audit: 'group.remove',
    params: IdParams,
    response: Ok,
  }),
}
