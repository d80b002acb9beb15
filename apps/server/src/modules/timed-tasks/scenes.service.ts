import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { scenesContract } from '@thingwright/contracts/scenes.contract'
import { MAX_SCENES, type SceneView, type TimedRunView } from '@thingwright/contracts/timed-tasks.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing } from '../../lib/sql/list.ts'
import { type ActionChecks, refuse } from './actions.ts'
import { positionOf, type RunsService } from './runs.service.ts'
import * as repo from './scenes.repo.ts'
import { namesOf } from './targets.repo.ts'
import { requireCommand } from './timed-tasks.service.ts'

type Contract = typeof scenesContract

export interface ScenesService {
  list(
    ctx: Ctx,
    query: QueryOf<Contract['list']>,
  ): Promise<{ items: SceneView[]; nextCursor: string | null; total?: number }>
  /** @throws AppError timed_task.invalid with every field that is wrong, scene.limit */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<SceneView>
  get(ctx: Ctx, id: string): Promise<SceneView>
  /** @throws AppError scene.not_found, version.conflict, timed_task.invalid */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<SceneView>
  /** @throws AppError scene.in_use */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  run(ctx: Ctx, id: string): Promise<TimedRunView>
}

export function createScenesService(deps: {
  database: Database
  checks: ActionChecks
  runs: RunsService
}): ScenesService {
  const { database, checks, runs } = deps

  async function known(scope: TenantScope, id: string, lock = false): Promise<repo.SceneRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('scene.not_found')
    return row
  }

  const view = async (scope: TenantScope, row: repo.SceneRow) => toView(row, await namesOf(scope, row.actions))

  return {
    async list(ctx, query) {
      const limit = query.limit ?? 20
      const sort = parseSort(query.sort, repo.SCENE_SORTS, '-createdAt')
      const after = positionOf(query.cursor)
      const filter = {
        ...(query.q ? { q: containing(query.q) } : {}),
        ...(query.userId ? { userId: query.userId } : {}),
      }
      return database.withTenant(ctx, async scope => {
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(...repo.LIST.page({ filter, sort, after, limit: limit + 1 })),
        )
        const total = query.total === '1' ? (await scope.run(...repo.LIST.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const names = await namesOf(
          scope,
          page.flatMap(row => row.actions),
        )
        return {
          items: page.map(row => toView(row, names)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        requireCommand(ctx)
        if ((await repo.count(scope)) >= MAX_SCENES)
          throw new AppError('scene.limit', { params: { limit: MAX_SCENES } })
        refuse(await checks.check(scope, ctx, input.actions, 'actions', true))
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          tenantId: scope.tenantId,
          name: input.name,
          description: input.description ?? '',
          actions: input.actions,
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
        await recordAudit(scope, ctx, {
          action: 'scene.create',
          objectType: 'scene',
          objectId: id,
          objectName: input.name,
          after: { actions: input.actions },
        })
        return view(scope, await known(scope, id))
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => view(scope, await known(scope, id))),

    update: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        if (before.version !== input.version)
          throw new AppError('version.conflict', { params: { current: await view(scope, before) } })
        if (input.actions) {
          requireCommand(ctx)
          refuse(await checks.check(scope, ctx, input.actions, 'actions', true))
        }
        await repo.update(scope, id, {
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.description === undefined ? {} : { description: input.description }),
          ...(input.actions === undefined ? {} : { actions: input.actions }),
        })
        const after = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'scene.update',
          objectType: 'scene',
          objectId: id,
          objectName: after.name,
          before: { name: before.name, actions: before.actions },
          after: { name: after.name, actions: after.actions },
        })
        return view(scope, after)
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        const tasks = await scope.wholeCompany('in-use', () => repo.countTasks(scope, id))
        if (tasks > 0) throw new AppError('scene.in_use', { params: { tasks } })
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'scene.remove',
          objectType: 'scene',
          objectId: id,
          objectName: before.name,
          before: { name: before.name, actions: before.actions },
        })
        return { ok: true }
      }),

    run: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        requireCommand(ctx)
        const scene = await known(scope, id)
        const runId = await runs.begin(scope, ctx, { sceneId: id, name: scene.name, actions: scene.actions })
        await recordAudit(scope, ctx, {
          action: 'scene.run',
          objectType: 'scene',
          objectId: id,
          objectName: scene.name,
          after: { runId },
        })
        return runs.get(scope, ctx, runId)
      }),
  }
}

function toView(row: repo.SceneRow, names: Record<string, string>): SceneView {
  const mentioned = JSON.stringify(row.actions)
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    actions: row.actions,
    names: Object.fromEntries(Object.entries(names).filter(([id]) => mentioned.includes(id))),
    tasks: row.tasks,
    lastRunAt: row.lastRunAt?.toISOString() ?? null,
    lastState: row.lastState,
    ownerId: row.ownerId,
    ownerName: row.ownerName,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
