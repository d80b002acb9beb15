import { Type } from 'typebox'
import { Id, IdParams, listOf, listQuery, Name, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import {
  Actions,
  NextRuns,
  ScheduleInput,
  TimedResultView,
  TimedRunView,
  TimedTaskInput,
  TimedTaskView,
  timedTaskFields,
} from './timed-task-schemas.ts'
import {
  PAIR_EDGES,
  SCHEDULE_KINDS,
  TIMED_RUN_CAUSES,
  TIMED_RUN_STATES,
  TIMED_TASK_STATES,
} from './timed-tasks.words.ts'
import { TRIGGER_BATCH_ACTIONS } from './triggers.words.ts'

export * from './timed-task-schemas.ts'
export * from './timed-tasks.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/timed-tasks'
const tag = 'Timed tasks'

const filters = {
  state: Type.Optional(Words(TIMED_TASK_STATES)),
  kind: Type.Optional(Words(SCHEDULE_KINDS)),
  deviceId: Type.Optional({ ...Id, description: 'Tasks that act on this device, by whatever scope or scene' }),
  sceneId: Type.Optional({ ...Id, description: 'Tasks that run this scene' }),
  userId: Type.Optional({ ...Id, description: 'Tasks of this end user and those below him, or for their devices' }),
}
const runFilters = {
  limit: listQuery.limit,
  cursor: listQuery.cursor,
  state: Type.Optional(Words(TIMED_RUN_STATES)),
}
const RunParams = Type.Object({ id: Id, runId: Id })
const one = { permission: 'timed-task:write', params: IdParams } as const

export const timedTasksContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Timed tasks that the caller may see. Sorts: createdAt, name, nextRunAt, lastRunAt',
    permission: 'timed-task:read',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(TimedTaskView),
  }),
  export: route({
    method: 'GET',
    path: `${base}/export`,
    tag,
    summary: 'The timed tasks of the filters as a file, at most 100,000',
    permission: 'timed-task:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  create: route({
    method: 'POST',
    path: base,
    tag,
    summary: 'Makes a timed task. It acts with the rights that its owner has when it runs',
    permission: 'timed-task:write',
    audit: 'timed_task.create',
    status: 201,
    body: TimedTaskInput,
    response: TimedTaskView,
  }),
  preview: route({
    method: 'POST',
    path: `${base}/preview`,
    tag,
    summary: 'When a schedule that is not kept yet would run',
    permission: 'timed-task:read',
    audit: { none: 'changes nothing' },
    body: Type.Object(
      {
        schedule: ScheduleInput,
        calendarId: timedTaskFields.calendarId,
        actions: Type.Optional({ ...Actions, description: 'Where the sun is looked at: the first device of theirs' }),
        count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
      },
      closed,
    ),
    response: NextRuns,
  }),
  batch: route({
    method: 'POST',
    path: `${base}/batch`,
    tag,
    summary: 'Enables, pauses or removes several timed tasks',
    permission: 'timed-task:write',
    audit: 'timed_task.batch',
    body: Type.Object(
      {
        ids: Type.Array(Id, { minItems: 1, maxItems: 500, uniqueItems: true }),
        action: Words(TRIGGER_BATCH_ACTIONS),
      },
      closed,
    ),
    response: Type.Object({
      done: Type.Integer(),
      failed: Type.Array(Type.Object({ id: Id, code: Type.String(), message: Type.String() })),
    }),
  }),
  allRuns: route({
    method: 'GET',
    path: `${base}/runs`,
    tag,
    summary: 'What tasks and scenes did, newest first',
    permission: 'timed-task:read',
    query: Type.Object({ ...runFilters, cause: Type.Optional(Words(TIMED_RUN_CAUSES)) }),
    response: listOf(TimedRunView),
  }),
  exportRuns: route({
    method: 'GET',
    path: `${base}/runs/export`,
    tag,
    summary: 'What tasks and scenes did as a file, at most 100,000 runs',
    permission: 'timed-task:read',
    query: Type.Object({
      sort: listQuery.sort,
      state: runFilters.state,
      cause: Type.Optional(Words(TIMED_RUN_CAUSES)),
      format: Words(['csv', 'xlsx']),
    }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag,
    summary: 'One timed task',
    permission: 'timed-task:read',
    params: IdParams,
    response: TimedTaskView,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    tag,
    summary: 'Changes a timed task; its next run is worked out anew',
    audit: 'timed_task.update',
    ...one,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        enabled: Type.Optional(Type.Boolean()),
        ...timedTaskFields,
        schedule: Type.Optional(ScheduleInput),
        actions: Type.Optional(Actions),
      },
      closed,
    ),
    response: TimedTaskView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag,
    summary: 'Removes a timed task and its log; what was begun of it does not go on',
    audit: 'timed_task.remove',
    ...one,
    response: Ok,
  }),
  enable: route({
    method: 'POST',
    path: `${base}/{id}/enable`,
    tag,
    summary: 'Lets it run again, from its next moment on',
    audit: 'timed_task.enable',
    ...one,
    response: TimedTaskView,
  }),
  disable: route({
    method: 'POST',
    path: `${base}/{id}/disable`,
    tag,
    summary: 'Pauses it; a run that was begun goes on to its end',
    audit: 'timed_task.disable',
    ...one,
    response: TimedTaskView,
  }),
  run: route({
    method: 'POST',
    path: `${base}/{id}/run`,
    tag,
    summary: 'Runs it now, with the rights of the caller; of a pair the side that is said',
    audit: 'timed_task.run',
    ...one,
    status: 202,
    body: Type.Object({ edge: Type.Optional(Words(PAIR_EDGES, { description: 'Absent: on' })) }, closed),
    response: TimedRunView,
  }),
  next: route({
    method: 'GET',
    path: `${base}/{id}/next`,
    tag,
    summary: 'Its next runs',
    permission: 'timed-task:read',
    params: IdParams,
    query: Type.Object({ count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })) }),
    response: NextRuns,
  }),
  runs: route({
    method: 'GET',
    path: `${base}/{id}/runs`,
    tag,
    summary: 'What it did, newest first, each step with its result',
    permission: 'timed-task:read',
    params: IdParams,
    query: Type.Object(runFilters),
    response: listOf(TimedRunView),
  }),
  results: route({
    method: 'GET',
    path: `${base}/{id}/runs/{runId}/results`,
    tag,
    summary: 'What came of a run of a task or scene, device by device and step by step',
    permission: 'timed-task:read',
    params: RunParams,
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      result: Type.Optional(Words(['done', 'failed', 'skipped'])),
    }),
    response: listOf(TimedResultView),
  }),
}
