import { calendarsContract } from '@thingwright/contracts/calendars.contract'
import { scenesContract } from '@thingwright/contracts/scenes.contract'
import { timedTasksContract as contract } from '@thingwright/contracts/timed-tasks.contract'
import type { Ctx } from '../../lib/context.ts'
import { type BoundRoute, bind, type StreamReply } from '../../lib/http.ts'
import type { CalendarsService } from './calendars.service.ts'
import type { RunsService } from './runs.service.ts'
import type { ScenesService } from './scenes.service.ts'
import type { ExportTimedRuns, ExportTimedTasks } from './timed-task-export.ts'
import type { TimedTasksService } from './timed-tasks.service.ts'

export function timedTasksRoutes(services: {
  tasks: TimedTasksService
  scenes: ScenesService
  calendars: CalendarsService
  runs: RunsService
  exportTasks(ctx: Ctx, query: ExportTimedTasks): Promise<StreamReply>
  exportRuns(ctx: Ctx, query: ExportTimedRuns): Promise<StreamReply>
}): BoundRoute[] {
  const { tasks, scenes, calendars, runs } = services
  return [
    bind(contract.list, (ctx, { query }) => tasks.list(ctx, query)),
    bind(contract.export, (ctx, { query }) => services.exportTasks(ctx, query)),
    bind(contract.create, (ctx, { body }) => tasks.create(ctx, body)),
    bind(contract.preview, (ctx, { body }) => tasks.preview(ctx, body)),
    bind(contract.batch, (ctx, { body }) => tasks.batch(ctx, body)),
    bind(contract.allRuns, (ctx, { query }) => runs.list(ctx, query)),
    bind(contract.exportRuns, (ctx, { query }) => services.exportRuns(ctx, query)),
    bind(contract.get, (ctx, { params }) => tasks.get(ctx, params.id)),
    bind(contract.update, (ctx, { params, body }) => tasks.update(ctx, params.id, body)),
    bind(contract.remove, (ctx, { params }) => tasks.remove(ctx, params.id)),
    bind(contract.enable, (ctx, { params }) => tasks.setEnabled(ctx, params.id, true)),
    bind(contract.disable, (ctx, { params }) => tasks.setEnabled(ctx, params.id, false)),
    bind(contract.run, (ctx, { params, body }) => tasks.run(ctx, params.id, body.edge)),
    bind(contract.next, (ctx, { params, query }) => tasks.next(ctx, params.id, query.count ?? 10)),
    bind(contract.runs, async (ctx, { params, query }) => {
      await tasks.get(ctx, params.id)
      return runs.list(ctx, { ...query, taskId: params.id })
    }),
    bind(contract.results, (ctx, { params, query }) => runs.results(ctx, params.id, params.runId, query)),
    bind(scenesContract.list, (ctx, { query }) => scenes.list(ctx, query)),
    bind(scenesContract.create, (ctx, { body }) => scenes.create(ctx, body)),
    bind(scenesContract.get, (ctx, { params }) => scenes.get(ctx, params.id)),
    bind(scenesContract.update, (ctx, { params, body }) => scenes.update(ctx, params.id, body)),
    bind(scenesContract.remove, (ctx, { params }) => scenes.remove(ctx, params.id)),
    bind(scenesContract.run, (ctx, { params }) => scenes.run(ctx, params.id)),
    bind(scenesContract.runs, async (ctx, { params, query }) => {
      await scenes.get(ctx, params.id)
      return runs.list(ctx, { ...query, sceneId: params.id })
    }),
    bind(calendarsContract.list, ctx => calendars.list(ctx)),
    bind(calendarsContract.create, (ctx, { body }) => calendars.create(ctx, body)),
    bind(calendarsContract.update, (ctx, { params, body }) => calendars.update(ctx, params.id, body)),
    bind(calendarsContract.remove, (ctx, { params }) => calendars.remove(ctx, params.id)),
  ]
}
