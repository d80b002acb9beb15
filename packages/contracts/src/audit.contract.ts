import { type Static, Type } from 'typebox'
import { AUDIT_RESULTS, USER_LOG_KINDS } from './audit.words.ts'
import { Id, IdParams, IsoTime, JsonObject, listOf, listQuery, Nullable, Words } from './common.ts'
import { route } from './route.ts'

const Result = Words(AUDIT_RESULTS)
/** Where an address is, as far as can be told without a data set. */
const Place = Words(['this_machine', 'intranet', 'unknown'])
export const ExportFormat = Words(['csv', 'xlsx'])

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
  result: Result,
  ip: Nullable(Type.String()),
  place: Nullable(Place),
  client: Nullable(Type.String({ description: 'Browser and system, or the program' })),
  requestId: Nullable(Type.String()),
})
export type AuditView = Static<typeof AuditView>

export const AuditDetail = Type.Object({
  ...AuditView.properties,
  userAgent: Nullable(Type.String()),
  /** Place and hash in the chain; null while the line waits for its link. */
  link: Nullable(Type.Object({ seq: Type.Integer(), hash: Type.String() })),
})
export type AuditDetail = Static<typeof AuditDetail>

const Checkpoint = Type.Object({ at: IsoTime, seq: Type.Integer(), hash: Type.String({ description: 'Hex' }) })

export const AuditChainView = Type.Object({
  /** Lines of the chain; the last place. */
  seq: Type.Integer(),
  head: Nullable(Type.String({ description: 'Hash of the last place, hex' })),
  linkedAt: Nullable(IsoTime),
  /** Lines that wait for their link. */
  pending: Type.Integer(),
  /** Up to here lines were removed when their time was over. */
  cutAt: Nullable(Type.Integer()),
  retentionDays: Type.Integer(),
  /** One of every day, newest first, at most 31. */
  checkpoints: Type.Array(Checkpoint),
})
export type AuditChainView = Static<typeof AuditChainView>

/** `summary` of a task of the kind `audit.verify`. */
export const AuditVerification = Type.Object({
  ok: Type.Boolean(),
  checked: Type.Integer(),
  /** How many of them are from before lines were authenticated one by one: the chain alone speaks for those. */
  earlier: Type.Optional(Type.Integer()),
  from: Type.Integer(),
  to: Type.Integer(),
  head: Nullable(Type.String()),
  problems: Type.Array(
    Type.Object({ code: Type.String(), seq: Nullable(Type.Integer()), auditId: Nullable(Type.String()) }),
  ),
})
export type AuditVerification = Static<typeof AuditVerification>

const auditFilter = {
  q: listQuery.q,
  sort: listQuery.sort,
  actorId: Type.Optional(Id),
  action: Type.Optional(Type.String({ maxLength: 64 })),
  objectType: Type.Optional(Type.String({ maxLength: 64 })),
  objectId: Type.Optional(Type.String({ maxLength: 64 })),
  result: Type.Optional(Result),
  ip: Type.Optional(Type.String({ maxLength: 64, description: 'The whole address' })),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
}

export const auditContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/audit-logs',
    tag: 'Operation log',
    summary: 'Who changed what, newest first',
    permission: 'audit:read',
    query: Type.Object({ ...listQuery, ...auditFilter }),
    response: listOf(AuditView),
  }),
  filters: route({
    method: 'GET',
    path: '/api/v1/audit-logs/filters',
    tag: 'Operation log',
    summary: 'What the log can be narrowed to: actions, kinds of objects, people in it',
    permission: 'audit:read',
    response: Type.Object({
      actions: Type.Array(Type.String()),
      objectTypes: Type.Array(Type.String()),
      actors: Type.Array(Type.Object({ id: Id, name: Type.String() })),
    }),
  }),
  chain: route({
    method: 'GET',
    path: '/api/v1/audit-logs/chain',
    tag: 'Operation log',
    summary: 'The chain over the log: its end and the checkpoint of every day, to be noted outside',
    permission: 'audit:read',
    response: AuditChainView,
  }),
  verify: route({
    method: 'POST',
    path: '/api/v1/audit-logs/verify',
    tag: 'Operation log',
    summary: 'Makes every hash of the chain again, as a background task',
    permission: 'audit:read',
    audit: 'audit.verify',
    status: 202,
    response: Type.Object({ taskId: Id }),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/audit-logs/export',
    tag: 'Operation log',
    summary: 'The lines of the filters as a file, at most 100,000',
    permission: 'audit:export',
    query: Type.Object({ ...auditFilter, format: ExportFormat }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/audit-logs/{id}',
    tag: 'Operation log',
    summary: 'One line, with its place in the chain',
    permission: 'audit:read',
    params: IdParams,
    response: AuditDetail,
  }),
}

export const UserLogKind = Words(USER_LOG_KINDS)
export type UserLogKind = Static<typeof UserLogKind>

export const UserLogView = Type.Object({
  id: Id,
  at: IsoTime,
  kind: UserLogKind,
  /** `half`: the first step was right, a second one was asked for. */
  result: Words(['ok', 'refused', 'failed', 'half']),
  loginId: Nullable(Id),
  username: Type.String(),
  /** How somebody signed in, or the action of the operation log. */
  action: Type.String(),
  reason: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  objectType: Nullable(Type.String()),
  objectId: Nullable(Type.String()),
  objectName: Nullable(Type.String()),
  ip: Nullable(Type.String()),
  place: Nullable(Place),
  client: Nullable(Type.String()),
})
export type UserLogView = Static<typeof UserLogView>

const userLogFilter = {
  q: listQuery.q,
  loginId: Type.Optional(Id),
  kind: Type.Optional(UserLogKind),
  result: Type.Optional(Words(['ok', 'refused', 'failed', 'half'])),
  ip: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
}

export const userLogContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/user-logs',
    tag: 'User log',
    summary: 'Sign-ins, lock-outs, sign-outs, commands and exports of people, newest first',
    permission: 'user-log:read',
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor, total: listQuery.total, ...userLogFilter }),
    response: listOf(UserLogView),
  }),
  own: route({
    method: 'GET',
    path: '/api/v1/user-logs/own',
    tag: 'User log',
    summary: 'The caller’s own entries',
    permission: 'signed-in',
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor, total: listQuery.total, ...userLogFilter }),
    response: listOf(UserLogView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/user-logs/export',
    tag: 'User log',
    summary: 'The entries of the filters as a file, at most 100,000',
    permission: 'user-log:read',
    query: Type.Object({ ...userLogFilter, format: ExportFormat }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
}
