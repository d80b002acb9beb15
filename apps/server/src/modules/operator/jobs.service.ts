import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { operatorContract } from '@thingwright/contracts/operator.contract'
import type { TaskView } from '@thingwright/contracts/tasks.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { TasksService } from '../tasks/index.ts'

type Contract = typeof operatorContract

export interface JobsService {
  list(ctx: Ctx, input: QueryOf<Contract['jobs']>): Promise<ResponseOf<Contract['jobs']>>
  cancel(ctx: Ctx, id: string): Promise<TaskView>
  retry(ctx: Ctx, id: string): Promise<TaskView>
}

const LIST = sql<{ id: string; name: string }>`select id, name from tenants where id = any ($1::uuid[])`

/** Background tasks of every company. */
export function createJobsService(deps: {
  database: Database
  tasks: Pick<TasksService, 'listEverywhere' | 'cancelEverywhere' | 'retryEverywhere'>
}): JobsService {
  return {
    async list(ctx, input) {
      const { items, nextCursor } = await deps.tasks.listEverywhere(ctx, input)
      const names = await deps.database.withSystemScope('operator', async scope => {
        const { rows } = await scope.run(LIST, [[...new Set(items.map(item => item.tenantId))]])
        return new Map(rows.map(row => [row.id, row.name]))
      })
      return { items: items.map(item => ({ ...item, companyName: names.get(item.tenantId) ?? '' })), nextCursor }
    },
    cancel: (ctx, id) => deps.tasks.cancelEverywhere(ctx, id),
    retry: (ctx, id) => deps.tasks.retryEverywhere(ctx, id),
  }
}
