import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, JsonObject, listOf, listQuery, Nullable, Words } from './common.ts'
import { route } from './route.ts'
import { TASK_STATES } from './tasks.words.ts'

/** A task waits, runs and ends in one of four ways; `partial`: a part of it failed and the rest is done. */
export const TaskState = Words(TASK_STATES)
export type TaskState = Static<typeof TaskState>

const Problem = Type.Object({
  code: Type.String(),
  message: Type.String({ description: 'In the language of the request' }),
})

export const TaskView = Type.Object({
  id: Id,
  kind: Type.String({ description: 'What it does, `noun.verb`' }),
  title: Type.Object({ zh: Type.String(), en: Type.String() }),
  state: TaskState,
  /** Parts finished, of parts in all when that is known. */
  done: Type.Integer(),
  total: Nullable(Type.Integer()),
  failedCount: Type.Integer(),
  /** The caller asked to stop; it ends at its next step. */
  cancelRequested: Type.Boolean(),
  summary: Nullable(JsonObject),
  error: Nullable(Problem),
  file: Nullable(Type.Object({ name: Type.String(), contentType: Type.String(), size: Type.Integer() })),
  ownerId: Nullable(Id),
  ownerName: Type.String(),
  retryOf: Nullable(Id),
  createdAt: IsoTime,
  startedAt: Nullable(IsoTime),
  endedAt: Nullable(IsoTime),
  /** Until when the task and its file are kept. */
  keptUntil: Nullable(IsoTime),
})
export type TaskView = Static<typeof TaskView>

export const TaskFailure = Type.Object({
  n: Type.Integer(),
  item: Type.String(),
  code: Type.String(),
  message: Type.String(),
})
export type TaskFailure = Static<typeof TaskFailure>

/** One's own tasks need no right; those of colleagues are seen by whoever may read the operation log. */
export const tasksContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/tasks',
    tag: 'Tasks',
    summary: 'Background tasks, newest first: the caller’s own, or all of the company for those who may read its log',
    permission: 'signed-in',
    apiKeys: true,
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      of: Type.Optional(Words(['own', 'company'])),
      state: Type.Optional(TaskState),
      kind: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    response: listOf(TaskView),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/tasks/{id}',
    tag: 'Tasks',
    summary: 'One task',
    permission: 'signed-in',
    apiKeys: true,
    params: IdParams,
    response: TaskView,
  }),
  failures: route({
    method: 'GET',
    path: '/api/v1/tasks/{id}/failures',
    tag: 'Tasks',
    summary: 'Parts of a task that failed, in their order; the first 1,000 are kept',
    permission: 'signed-in',
    apiKeys: true,
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(TaskFailure),
  }),
  exportFailures: route({
    method: 'GET',
    path: '/api/v1/tasks/{id}/failures/export',
    tag: 'Tasks',
    summary: 'Parts of a task that failed, as a file',
    permission: 'signed-in',
    apiKeys: true,
    params: IdParams,
    query: Type.Object({ format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  cancel: route({
    method: 'POST',
    path: '/api/v1/tasks/{id}/cancel',
    tag: 'Tasks',
    summary: 'Stops a waiting task at once and a running one at its next step; what is done stays done',
    permission: 'signed-in',
    apiKeys: true,
    audit: 'task.cancel',
    params: IdParams,
    response: TaskView,
  }),
  retry: route({
    method: 'POST',
    path: '/api/v1/tasks/{id}/retry',
    tag: 'Tasks',
    summary: 'Starts a failed or cancelled task again with the same input, as a new task',
    permission: 'signed-in',
    apiKeys: true,
    audit: 'task.start',
    status: 201,
    params: IdParams,
    response: TaskView,
  }),
  download: route({
    method: 'GET',
    path: '/api/v1/tasks/{id}/file',
    tag: 'Tasks',
    summary: 'The file a task made; only for whoever started it',
    permission: 'signed-in',
    apiKeys: true,
    params: IdParams,
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
}
