import type { QueryOf } from '@thingwright/contracts'
import type {
  TimedAction,
  TimedResultView,
  TimedRunView,
  timedTasksContract,
} from '@thingwright/contracts/timed-tasks.contract'
import { actorName, type Ctx, type Locale, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { ListPosition } from '../../lib/sql/list.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { planned } from './actions.ts'
import * as repo from './runs.repo.ts'
import { scenesById } from './scenes.repo.ts'
import type { Fault } from './timed-tasks.repo.ts'

type Contract = typeof timedTasksContract

interface Paged {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface RunsService {
  /** Of a task, of a scene, or all that the caller may see. */
  list(
    ctx: Ctx,
    query: Paged & { [Key in keyof repo.RunFilter]?: string | undefined },
  ): Promise<{ items: TimedRunView[]; nextCursor: string | null }>
  /** @param id of the run's task or scene @throws AppError timed_task.run_not_found */
  results(
    ctx: Ctx,
    id: string,
    runId: string,
    query: QueryOf<Contract['results']>,
  ): Promise<{ items: TimedResultView[]; nextCursor: string | null }>
  /** Begins a run at once, within the caller's transaction. @returns its id */
  begin(scope: TenantScope, ctx: Ctx, what: Begun): Promise<string>
  get(scope: TenantScope, ctx: Ctx, id: string): Promise<TimedRunView>
}

export interface Begun {
  taskId?: string
  sceneId?: string
  name: string
  edge?: 'on' | 'off' | null
  actions: readonly TimedAction[]
}

export function createRunsService({ database }: { database: Database }): RunsService {
  return {
    async list(ctx, { limit = 20, cursor, ...filter }) {
      const after = positionOf(cursor)
      const { rows } = await readFrom(cursor, () =>
        database.withTenant(ctx, scope =>
          scope.run(
            ...repo.RUNS.page({
              filter: filter as repo.RunFilter,
              sort: { key: 'dueAt', descending: true },
              after,
              limit: limit + 1,
            }),
          ),
        ),
      )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map(row => toRun(row, ctx.locale)),
        nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
      }
    },

    async results(ctx, id, runId, { limit = 50, cursor, result }) {
      const after = positionOf(cursor)
      return readFrom(cursor, () =>
        database.withTenant(ctx, async scope => {
          const run = await one(scope, runId)
          if (run?.taskId !== id && run?.sceneId !== id) throw new AppError('timed_task.run_not_found')
          const { rows } = await scope.run(
            ...repo.RESULTS.page({
              given: [runId],
              filter: result === undefined ? {} : { result },
              sort: { key: 'index', descending: false },
              after,
              limit: limit + 1,
            }),
          )
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          return {
            items: page.map(({ position: _, id: __, ...row }) => ({
              ...row,
              fault: faultView(row.fault, ctx.locale),
              at: row.at.toISOString(),
            })),
            nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          }
        }),
      )
    },

    async begin(scope, ctx, { taskId, sceneId, name, edge, actions }) {
      const id = await beginRun(scope, {
        tenantId: scope.tenantId,
        ...(taskId ? { taskId } : {}),
        ...(sceneId ? { sceneId } : {}),
        name,
        edge: edge ?? null,
        actions,
        cause: 'manual',
        ownerId: ownerIdOf(ctx.actor),
        byName: actorName(ctx.actor),
        now: ctx.now,
      })
      scope.tell('timed_tasks.due', {})
      return id
    },

    async get(scope, ctx, id) {
      const row = await one(scope, id)
      if (!row) throw new AppError('timed_task.run_not_found')
      return toRun(row, ctx.locale)
    },
  }
}

async function one(scope: TenantScope, id: string): Promise<repo.RunRow | undefined> {
  const { rows } = await scope.run(
    ...repo.RUNS.page({ filter: { id }, sort: { key: 'dueAt', descending: true }, after: null, limit: 1 }),
  )
  return rows[0]
}

/** Writes a run that begins now. @returns its id */
export async function beginRun(
  run: Runner,
  what: Begun & {
    tenantId: string
    cause: 'manual' | 'trigger'
    ownerId: string | null
    byName: string
    /** Epoch ms. */
    now: number
  },
): Promise<string> {
  const id = newId(what.now)
  const scenes = await scenesById(
    run,
    what.tenantId,
    what.actions.flatMap(({ sceneId }) => sceneId ?? []),
  )
  await repo.insertRuns(
    run,
    [
      {
        id,
        tenantId: what.tenantId,
        taskId: what.taskId ?? null,
        sceneId: what.sceneId ?? null,
        name: what.name,
        cause: what.cause,
        edge: what.edge ?? null,
        ownerId: what.ownerId,
        byName: what.byName,
        dueAt: what.now,
        missed: 0,
        state: 'pending',
        fault: null,
        nextAt: what.now,
        expiresAt: null,
      },
    ],
    stepsOf(what.tenantId, id, what.actions, new Map(scenes.map(scene => [scene.id, scene])), what.now),
  )
  if (what.taskId) await repo.touch(run, 'task', what.taskId, what.now)
  if (what.sceneId) await repo.touch(run, 'scene', what.sceneId, what.now)
  return id
}

/** Rows for the steps of a run. @param at epoch ms at which it begins */
export function stepsOf(
  tenantId: string,
  runId: string,
  actions: readonly TimedAction[],
  scenes: ReadonlyMap<string, { name: string; actions: readonly TimedAction[] }>,
  at: number,
): repo.NewStep[] {
  return planned(actions, scenes).map(({ action, sceneName, after, fault }, index) => ({
    id: newId(at),
    tenantId,
    runId,
    index,
    action,
    sceneName,
    dueAt: at + after,
    result: fault ? ('failed' as const) : ('pending' as const),
    fault: fault ? { code: fault } : null,
  }))
}

/** Why something did not run, in words. */
export function faultView(fault: Fault | null, locale: Locale): { code: string; message: string } | null {
  return fault && { code: fault.code, message: errorText(locale, fault.code, fault.params ?? {}) }
}

function toRun(row: repo.RunRow, locale: Locale): TimedRunView {
  return {
    id: row.id,
    taskId: row.taskId,
    sceneId: row.sceneId,
    name: row.name,
    cause: row.cause,
    edge: row.edge,
    byName: row.byName,
    dueAt: row.dueAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    missed: row.missed,
    state: row.state,
    fault: faultView(row.fault, locale),
    steps: row.steps.map(step => ({ ...step, fault: faultView(step.fault, locale) })),
  }
}

/** @throws AppError request.cursor_invalid */
export function positionOf(cursor: string | undefined): ListPosition | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [key, id] = values
  if (typeof key !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [key, id]
}
