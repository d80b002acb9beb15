import type { Ctx } from '../../lib/context.ts'
import { type BoundRoute, StreamReply } from '../../lib/http.ts'
import type { TasksService } from './tasks.service.ts'

const EXPORT = /\/export$/

/**
 * Every table and file that is taken out at once stands in the task centre like what takes longer: a route whose path
 * ends in `export` notes its file as a task that has ended, before the first byte leaves.
 */
export function exportsNoted(tasks: Pick<TasksService, 'noteExport'>): (routes: BoundRoute[]) => BoundRoute[] {
  return routes => routes.map(route => (isExport(route) ? noting(route, tasks) : route))
}

function isExport({ contract }: BoundRoute): boolean {
  // The failures of a task are part of that task.
  return contract.method === 'GET' && EXPORT.test(contract.path) && !contract.path.startsWith('/api/v1/tasks/')
}

function noting(route: BoundRoute, tasks: Pick<TasksService, 'noteExport'>): BoundRoute {
  const handler = route.handler as (ctx: Ctx, ...rest: unknown[]) => Promise<unknown>
  const noted = async (ctx: Ctx, ...rest: unknown[]) => {
    const reply = await handler(ctx, ...rest)
    if (!(reply instanceof StreamReply) || reply.status !== 200) return reply
    try {
      await tasks.noteExport(ctx, reply.fileName ?? route.contract.path)
    } catch (error) {
      reply.body.destroy()
      throw error
    }
    return reply
  }
  return { ...route, handler: noted as unknown as BoundRoute['handler'] }
}
