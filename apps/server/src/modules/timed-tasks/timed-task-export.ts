import type { QueryOf } from '@thingwright/contracts'
import type { TimedRunView, TimedTaskView, timedTasksContract } from '@thingwright/contracts/timed-tasks.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import type { RunsService } from './runs.service.ts'
import words from './timed-task-export.texts.json' with { type: 'json' }
import type { TimedTasksService } from './timed-tasks.service.ts'

export type ExportTimedTasks = QueryOf<(typeof timedTasksContract)['export']>

/**
 * The timed tasks of a list's filters as a file.
 * @throws AppError export.too_many_rows
 */
export async function exportTimedTasks(
  deps: { database: Database; tasks: Pick<TimedTasksService, 'list'> },
  ctx: Ctx,
  { format, ...filters }: ExportTimedTasks,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<TimedTaskView>(deps.database, ctx, {
    action: 'timed_task.export',
    objectType: 'timed_task',
    format,
    filters,
    fileName: `${text.tasks}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'state', title: text.state, value: row => text.states[row.state] },
      { key: 'reason', title: text.reason, value: row => row.fault?.message ?? null },
      { key: 'kind', title: text.kind, value: row => text.kinds[row.kind] },
      { key: 'schedule', title: text.schedule, value: row => JSON.stringify(row.schedule) },
      { key: 'actions', title: text.actions, value: row => JSON.stringify(row.actions) },
      {
        key: 'offActions',
        title: text.offActions,
        value: row => (row.offActions.length > 0 ? JSON.stringify(row.offActions) : null),
      },
      { key: 'nextRunAt', title: text.nextRunAt, type: 'time', value: row => row.nextRunAt },
      { key: 'lastRunAt', title: text.lastRunAt, type: 'time', value: row => row.lastRunAt },
      { key: 'owner', title: text.owner, value: row => row.ownerName },
      { key: 'description', title: text.description, value: row => row.description },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor => deps.tasks.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}

export type ExportTimedRuns = QueryOf<(typeof timedTasksContract)['exportRuns']>

/**
 * What tasks and scenes did, newest first, as a file.
 * @throws AppError export.too_many_rows
 */
export async function exportTimedRuns(
  deps: { database: Database; runs: Pick<RunsService, 'list'> },
  ctx: Ctx,
  { format, sort: _, ...filters }: ExportTimedRuns,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  const sum = (row: TimedRunView, key: 'done' | 'failed') => row.steps.reduce((total, step) => total + step[key], 0)
  return listExport<TimedRunView>(deps.database, ctx, {
    action: 'timed_task.export',
    objectType: 'timed_task_run',
    format,
    filters,
    fileName: `${text.runs}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'dueAt', title: text.dueAt, type: 'time', value: row => row.dueAt },
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'edge', title: text.edge, value: row => (row.edge ? text.edges[row.edge] : null) },
      { key: 'cause', title: text.cause, value: row => text.causes[row.cause] },
      { key: 'byName', title: text.by, value: row => row.byName },
      { key: 'state', title: text.result, value: row => text.runStates[row.state] },
      { key: 'done', title: text.done, type: 'number', value: row => sum(row, 'done') },
      { key: 'failed', title: text.failed, type: 'number', value: row => sum(row, 'failed') },
      { key: 'missed', title: text.missed, type: 'number', value: row => row.missed },
      { key: 'reason', title: text.reason, value: row => row.fault?.message ?? null },
      { key: 'finishedAt', title: text.finishedAt, type: 'time', value: row => row.finishedAt },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor => deps.runs.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
