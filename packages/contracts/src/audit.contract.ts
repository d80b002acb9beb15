import { Type } from 'typebox'
import { Id, IsoTime, JsonObject, listOf, listQuery, Nullable, Words } from './common.ts'
import { route } from './route.ts'

export const AuditView = Type.Object({
  id: Id,
  at: IsoTime,
  actorKind: Type.String(),
  actorId: Nullable(Id),
  actorName: Type.String(),
  action: Type.String(),
  objectType: Type.String(),
  objectId: Nullable(Type.String()),
  objectName: Nullable(Type.String()),
  before: Nullable(JsonObject),
  after: Nullable(JsonObject),
  result: Words(['ok', 'refused', 'failed']),
  ip: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
})

export const auditContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/audit-logs',
    tag: 'Operation log',
    summary: 'Who changed what, newest first',
    permission: 'audit:read',
    query: Type.Object({
      ...listQuery,
      action: Type.Optional(Type.String({ maxLength: 64 })),
      objectType: Type.Optional(Type.String({ maxLength: 64 })),
      objectId: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    response: listOf(AuditView),
  }),
}
