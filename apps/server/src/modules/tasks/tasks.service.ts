import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { TaskView, tasksContract } from '@thingwright/contracts/tasks.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { TaskChange } from '../../lib/news.ts'
import { EXPORT_PAGE, everyRow, type TableFormat, tableExport } from '../../lib/table-export/table-export.ts'
import { actorOf, storedActor, taskContext } from './tasks.actor.ts'
import { requireRights, type TaskFiles, type TaskHandler, type TaskHandlers } from './tasks.handlers.ts'
import * as repo from './tasks.repo.ts'
import { KEPT_DAYS } from './tasks.runner.ts'
import titles from './tasks.texts.json' with { type: 'json' }

export interface StartTask {
  kind: string
  title: { zh: string; en: string }
  /** JSON; it is stored, so no secrets. */
  input: unknown
  /** Parts in all, when known. */
  total?: number
}

type ListTasks = QueryOf<(typeof tasksContract)['list']>
type TaskPage = ResponseOf<(typeof tasksContract)['list']>
type FailurePage = ResponseOf<(typeof tasksContract)['failures']>

/** A task as the operator's desk sees it: with its company. */
export interface OperatorTask extends TaskView {
  tenantId: string
}

/** Files that lists and reports are taken out as. */
const EXPORT_KIND = 'list.export'

export interface TasksService {
  /**
   * Puts a task into the queue, in a transaction of its own.
   * @throws AppError task.too_many
   */
  start(ctx: Ctx, task: StartTask): Promise<{ id: string }>
  /** The same within the transaction of a change: the task begins only if that is committed. */
  startIn(scope: TenantScope, ctx: Ctx, task: StartTask): Promise<{ id: string }>
  /** A file was taken out by a request of its own: it stands in the task centre as done. */
  noteExport(ctx: Ctx, fileName: string): Promise<void>
  list(ctx: Ctx, input: ListTasks): Promise<TaskPage>
  /** What the caller has waiting or running, by id: what the live topic begins with. */
  open(ctx: Ctx): Promise<Record<string, TaskChange['patch']>>
  get(ctx: Ctx, id: string): Promise<TaskView>
  failures(ctx: Ctx, id: string, input: { limit?: number; cursor?: string }): Promise<FailurePage>
  exportFailures(ctx: Ctx, id: string, format: TableFormat): Promise<StreamReply>
  cancel(ctx: Ctx, id: string): Promise<TaskView>
  retry(ctx: Ctx, id: string): Promise<TaskView>
  download(ctx: Ctx, id: string): Promise<StreamReply>
  /**
   * Tasks of every company, for the operator's desk.
   * @throws AppError permission.denied for anybody else
   */
  listEverywhere(
    ctx: Ctx,
    input: ListTasks & { tenantId?: string },
  ): Promise<{ items: OperatorTask[]; nextCursor: string | null }>
  /** The operator stops a company's task; both operation logs say so. */
  cancelEverywhere(ctx: Ctx, id: string): Promise<TaskView>
  /** The operator starts a company's failed task again, for whoever started it and with his rights. */
  retryEverywhere(ctx: Ctx, id: string): Promise<TaskView>
}

export interface TasksServiceOptions {
  database: Database
  files: TaskFiles
  handlers: TaskHandlers
  /** After the commit. */
  onQueued(): void
  onCancel(id: string): void
}

/** Waiting or running tasks of one person. */
export const MAX_OPEN = 20
const DAY_MS = 86_400_000

export function createTasksService(options: TasksServiceOptions): TasksService {
  const { database, files, handlers } = options

  /** Own tasks, and everybody's for those who may read the operation log; others do not exist. */
  async function visible(scope: TenantScope, ctx: Ctx, id: string): Promise<repo.TaskRow> {
    const task = await repo.findTask(scope, id)
    if (!task || !(isOwn(ctx, task) || seesAll(ctx))) throw new AppError('task.not_found')
    return task
  }

  async function own(scope: TenantScope, ctx: Ctx, id: string): Promise<repo.TaskRow> {
    const task = await visible(scope, ctx, id)
    if (!isOwn(ctx, task)) throw new AppError('permission.denied')
    return task
  }

  const handlerOf = (kind: string): TaskHandler => {
    const handler = handlers.get(kind)
    if (!handler) throw new Error(`no task of the kind ${kind} is registered`)
    return handler
  }

  async function enqueue(
    scope: TenantScope,
    ctx: Ctx,
    task: StartTask,
    retryOf: string | null = null,
  ): Promise<repo.TaskRow> {
    handlerOf(task.kind)
    const ownerId = actorId(ctx.actor)
    if (ownerId !== null && (await repo.countOpen(scope, ownerId)) >= MAX_OPEN)
      throw new AppError('task.too_many', { params: { limit: MAX_OPEN } })
    const row = await repo.insertTask(scope, {
      id: newId(),
      tenantId: scope.tenantId,
      kind: task.kind,
      titleZh: task.title.zh,
      titleEn: task.title.en,
      input: task.input ?? null,
      ownerId,
      ownerName: actorName(ctx.actor),
      actor: storedActor(ctx.actor),
      locale: ctx.locale,
      ip: ctx.ip ?? null,
      total: task.total ?? null,
      retryOf,
    })
    await recordAudit(scope, ctx, {
      action: 'task.start',
      objectType: 'task',
      objectId: row.id,
      objectName: row.titleZh,
      after: { kind: row.kind, input: row.input, ...(retryOf ? { retryOf } : {}) },
    })
    scope.tell('task.changed', changeOf(row))
    scope.afterCommit(options.onQueued)
    return row
  }

  /** Any company's task, for the operator's desk. */
  async function foreign(ctx: Ctx, id: string): Promise<repo.TaskRow> {
    if (ctx.actor.kind !== 'operator' || !holds(ctx, 'operator:write'))
      throw new AppError('permission.denied', { params: { permission: 'operator:write' } })
    const task = await database.withSystemScope('operator', scope => repo.findTask(scope, id))
    if (!task) throw new AppError('task.not_found')
    return task
  }

  async function noteForOperator(ctx: Ctx, action: string, task: repo.TaskRow): Promise<void> {
    await database.withSystemScope('operator', scope =>
      recordAudit(scope, ctx, {
        action,
        objectType: 'task',
        objectId: task.id,
        objectName: task.titleZh,
        after: { tenantId: task.tenantId },
      }),
    )
  }

  const service: TasksService = {
    noteExport: (ctx, fileName) =>
      database.withTenant(ctx, scope =>
        repo.insertEnded(scope, {
          id: newId(),
          tenantId: scope.tenantId,
          kind: EXPORT_KIND,
          titleZh: titles.zh.exported.replace('{name}', fileName),
          titleEn: titles.en.exported.replace('{name}', fileName),
          input: null,
          ownerId: actorId(ctx.actor),
          ownerName: actorName(ctx.actor),
          actor: storedActor(ctx.actor),
          locale: ctx.locale,
          ip: ctx.ip ?? null,
          total: null,
          retryOf: null,
        }),
      ),

    start: (ctx, task) => database.withTenant(ctx, scope => service.startIn(scope, ctx, task)),

    async startIn(scope, ctx, task) {
      const { id } = await enqueue(scope, ctx, task)
      return { id }
    },

    async list(ctx, input) {
      const all = input.of === 'company'
      if (all && !seesAll(ctx)) throw new AppError('permission.denied', { params: { permission: 'audit:read' } })
      const me = actorId(ctx.actor)
      return database.withTenant(ctx, async scope => {
        const filter = {
          tenantId: scope.tenantId,
          ...(all || me === null ? {} : { ownerId: me }),
          ...(input.state ? { state: input.state } : {}),
          ...(input.kind ? { kind: input.kind } : {}),
        }
        const { rows, nextCursor } = await page(scope, filter, input)
        return { items: rows.map(row => toView(row, ctx)), nextCursor }
      })
    },

    open: ctx =>
      database.withTenant(ctx, async scope => {
        const ownerId = actorId(ctx.actor)
        if (ownerId === null) return {}
        const rows = await repo.openTasks(scope, ownerId)
        return Object.fromEntries(rows.map(row => [row.id, changeOf(row).patch]))
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => toView(await visible(scope, ctx, id), ctx)),

    failures: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        await visible(scope, ctx, id)
        const limit = input.limit ?? 20
        const after = Number(decodeCursor(input.cursor, 1)?.[0] ?? 0)
        if (!Number.isSafeInteger(after)) throw new AppError('request.cursor_invalid')
        const rows = await readFrom(input.cursor, () => repo.listFailures(scope, id, after, limit + 1))
        const items = rows.slice(0, limit)
        return {
          items: items.map(({ n, item, code, params }) => ({
            n,
            item,
            code,
            message: errorText(ctx.locale, code, params),
          })),
          nextCursor: rows.length > limit ? encodeCursor([items.at(-1)!.n]) : null,
        }
      }),

    async exportFailures(ctx, id, format) {
      const task = await service.get(ctx, id)
      const text = titles[ctx.locale]
      return tableExport({
        format,
        fileName: `${task.title[ctx.locale]}-${text.failures}`,
        columns: [
          { key: 'n', title: text.number, type: 'number' },
          { key: 'item', title: text.item },
          { key: 'message', title: text.reason },
          { key: 'code', title: text.code },
        ],
        rows: everyRow(cursor => service.failures(ctx, id, { limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
      })
    },

    cancel: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await visible(scope, ctx, id)
        if (!isOwn(ctx, before) && !holds(ctx, 'company:write'))
          throw new AppError('permission.denied', { params: { permission: 'company:write' } })
        const row = await repo.requestCancel(scope, id)
        if (!row) throw new AppError('task.not_cancellable')
        await recordAudit(scope, ctx, {
          action: 'task.cancel',
          objectType: 'task',
          objectId: id,
          objectName: row.titleZh,
          before: { state: before.state },
          after: { state: row.state, cancelRequested: true },
        })
        scope.afterCommit(() => options.onCancel(id))
        scope.tell('task.changed', changeOf(row))
        return toView(row, ctx)
      }),

    retry: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const task = await own(scope, ctx, id)
        const ended = task.state === 'failed' || task.state === 'cancelled'
        if (!ended || handlers.get(task.kind)?.retryable === false || !handlers.has(task.kind))
          throw new AppError('task.not_retryable')
        const { kind, input, titleZh: zh, titleEn: en } = task
        return toView(await enqueue(scope, ctx, { kind, title: { zh, en }, input }, id), ctx)
      }),

    async download(ctx, id) {
      const task = await database.withTenant(ctx, scope => own(scope, ctx, id))
      // He made it when he had the right to what is in it.
      const handler = handlers.get(task.kind)
      if (handler) requireRights(handler, ctx.actor, task.input)
      const file = task.fileKey && task.state !== 'running' ? await files.get(task.fileKey) : null
      if (!file) throw new AppError('task.file_gone')
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'task.download',
          objectType: 'task',
          objectId: id,
          objectName: task.titleZh,
          after: { file: task.fileName, size: task.fileSize },
        }),
      )
      return new StreamReply(file.body, task.fileType ?? file.contentType, task.fileName ?? id)
    },

    async listEverywhere(ctx, input) {
      if (ctx.actor.kind !== 'operator' || !holds(ctx, 'operator:use'))
        throw new AppError('permission.denied', { params: { permission: 'operator:use' } })
      return database.withSystemScope('operator', async scope => {
        const { tenantId, state, kind } = input
        const filter = { ...(tenantId ? { tenantId } : {}), ...(state ? { state } : {}), ...(kind ? { kind } : {}) }
        const { rows, nextCursor } = await page(scope, filter, input)
        return { items: rows.map(row => ({ ...toView(row, ctx), tenantId: row.tenantId })), nextCursor }
      })
    },

    async cancelEverywhere(ctx, id) {
      const task = await foreign(ctx, id)
      const view = await service.cancel({ ...ctx, tenantId: task.tenantId }, id)
      await noteForOperator(ctx, 'task.cancel', task)
      return view
    },

    async retryEverywhere(ctx, id) {
      const task = await foreign(ctx, id)
      const owner = {
        ...taskContext(
          task,
          () => actorOf(task.actor),
          () => ctx.now,
        ),
        requestId: ctx.requestId,
      }
      const view = await service.retry(owner, id)
      await noteForOperator(ctx, 'task.start', task)
      return toView(
        { ...task, ...(await database.withSystemScope('operator', scope => repo.findTask(scope, view.id)))! },
        ctx,
      )
    },
  }
  return service
}

async function page(
  scope: Pick<TenantScope, 'run'>,
  filter: repo.TaskFilter,
  input: { limit?: number; cursor?: string },
): Promise<{ rows: repo.TaskRow[]; nextCursor: string | null }> {
  const limit = input.limit ?? 20
  const position = decodeCursor(input.cursor, 2)
  const [at, id] = position ?? []
  if (position && (typeof at !== 'string' || typeof id !== 'string')) throw new AppError('request.cursor_invalid')
  const after = position ? ([at as string, id as string] as const) : null
  const found = await readFrom(input.cursor, () => repo.listTasks(scope, filter, after, limit + 1))
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, nextCursor: found.length > limit && last ? encodeCursor([last.position, last.id]) : null }
}

function holds(ctx: Ctx, permission: 'audit:read' | 'company:write' | 'operator:use' | 'operator:write'): boolean {
  return ctx.actor.kind !== 'system' && ctx.actor.permissions.has(permission)
}

const seesAll = (ctx: Ctx) => holds(ctx, 'audit:read')

function isOwn(ctx: Ctx, task: repo.TaskRow): boolean {
  return task.ownerId !== null && task.ownerId === actorId(ctx.actor)
}

function changeOf(row: repo.TaskRow): TaskChange {
  const { id, ownerId, state, done, total, failedCount, cancelRequested } = row
  return { id, ownerId, patch: { state, done, total, failedCount, cancelRequested } }
}

function toView(row: repo.TaskRow, ctx: Ctx): TaskView {
  return {
    id: row.id,
    kind: row.kind,
    title: { zh: row.titleZh, en: row.titleEn },
    state: row.state,
    done: row.done,
    total: row.total,
    failedCount: row.failedCount,
    cancelRequested: row.cancelRequested,
    summary: row.summary,
    error: row.errorCode
      ? { code: row.errorCode, message: errorText(ctx.locale, row.errorCode, row.errorParams ?? {}) }
      : null,
    file:
      row.fileKey && row.fileName && row.state !== 'running'
        ? { name: row.fileName, contentType: row.fileType ?? '', size: row.fileSize ?? 0 }
        : null,
    ownerId: row.ownerId,
    ownerName: row.ownerName,
    retryOf: row.retryOf,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    keptUntil: row.endedAt ? new Date(row.endedAt.getTime() + KEPT_DAYS * DAY_MS).toISOString() : null,
  }
}
