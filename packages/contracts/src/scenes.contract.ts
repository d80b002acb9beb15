import { Type } from 'typebox'
import { Id, IdParams, listOf, listQuery, Name, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { Actions, SceneInput, SceneView, TimedRunView } from './timed-task-schemas.ts'
import { TIMED_RUN_STATES } from './timed-tasks.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/scenes'
const tag = 'Scenes'
const one = { permission: 'timed-task:write', params: IdParams } as const

export const scenesContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Scenes that the caller may see. Sorts: createdAt, name, lastRunAt',
    permission: 'timed-task:read',
    query: Type.Object({ ...listQuery, userId: Type.Optional(Id) }),
    response: listOf(SceneView),
  }),
  create: route({
    method: 'POST',
    path: base,
    tag,
    summary: 'Makes a scene: commands and delays under one name',
    permission: 'timed-task:write',
    audit: 'scene.create',
    status: 201,
    body: SceneInput,
    response: SceneView,
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag,
    summary: 'One scene',
    permission: 'timed-task:read',
    params: IdParams,
    response: SceneView,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    tag,
    summary: 'Changes a scene; runs that were begun go on as they were',
    audit: 'scene.update',
    ...one,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        description: Type.Optional(Type.String({ maxLength: 512 })),
        actions: Type.Optional(Actions),
      },
      closed,
    ),
    response: SceneView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag,
    summary: 'Removes a scene that no timed task runs',
    audit: 'scene.remove',
    ...one,
    response: Ok,
  }),
  run: route({
    method: 'POST',
    path: `${base}/{id}/run`,
    tag,
    summary: 'Runs it now, with the rights of the caller',
    audit: 'scene.run',
    ...one,
    status: 202,
    response: TimedRunView,
  }),
  runs: route({
    method: 'GET',
    path: `${base}/{id}/runs`,
    tag,
    summary: 'Its runs by itself, newest first; as a part of a task they stand there',
    permission: 'timed-task:read',
    params: IdParams,
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      state: Type.Optional(Words(TIMED_RUN_STATES)),
    }),
    response: listOf(TimedRunView),
  }),
}
