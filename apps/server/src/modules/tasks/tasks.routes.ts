import { tasksContract } from '@thingwright/contracts/tasks.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { TasksService } from './tasks.service.ts'

export function tasksRoutes(tasks: TasksService): BoundRoute[] {
  return [
    bind(tasksContract.list, async (ctx, { query }) => tasks.list(ctx, query)),
    bind(tasksContract.get, (ctx, { params }) => tasks.get(ctx, params.id)),
    bind(tasksContract.failures, (ctx, { params, query }) => tasks.failures(ctx, params.id, query)),
    bind(tasksContract.exportFailures, (ctx, { params, query }) => tasks.exportFailures(ctx, params.id, query.format)),
    bind(tasksContract.cancel, (ctx, { params }) => tasks.cancel(ctx, params.id)),
    bind(tasksContract.retry, (ctx, { params }) => tasks.retry(ctx, params.id)),
    bind(tasksContract.download, (ctx, { params }) => tasks.download(ctx, params.id)),
  ]
}
