import type { Readable } from 'node:stream'
import type { ImportField, ImportOptions } from '@thingwright/contracts/device-imports.contract'
import type { Permission } from '@thingwright/contracts/permissions'
import type { Ctx } from '../../../lib/context.ts'
import { AppError, isAppError } from '../../../lib/errors.ts'
import { errorText } from '../../../lib/i18n.ts'
import { tableExport } from '../../../lib/table-export/table-export.ts'
import { type NumberedRow, shownCell } from '../../../lib/table-import/table.ts'
import type { GroupsService } from '../../groups/index.ts'
import type { RunningTask, TaskResult } from '../../tasks/index.ts'
import * as repo from './device-imports.repo.ts'
import { GroupPaths } from './group-paths.ts'
import { DeviceImport, type ImportTools } from './import-devices.ts'
import { HistoryImport, type HistoryTools } from './import-history.ts'
import words from './import-words.json' with { type: 'json' }
import type { Problem } from './read-line.ts'
import { keptRows, type TableStore } from './stored-table.ts'

export interface ImportRunDeps extends ImportTools, HistoryTools {
  groups: Pick<GroupsService, 'list' | 'create'>
  store: TableStore
}

/** Lines of one transaction. */
const PART = 500
const HISTORY_PART = 1000

/** The task: the table part by part, then the values of the past, then a file with the lines that failed. */
export function importRun(deps: ImportRunDeps): (task: RunningTask) => Promise<TaskResult> {
  const { database, store } = deps

  return async task => {
    const { ctx } = task
    const { importId, options } = task.input as { importId: string; options: ImportOptions }
    requirePermission(ctx, 'device:write')
    const found = await database.withTenant(ctx, async scope => ({
      run: await repo.findImport(scope, importId),
      file: await repo.findFile(scope, options.fileId),
      history: options.history ? await repo.findFile(scope, options.history.fileId) : undefined,
      products: await scope.wholeCompany('hold', () => repo.publishedProducts(scope)),
    }))
    const { run, file } = found
    if (!run || !file) throw new AppError('import.file_not_found')
    const table = options.table ?? 0
    const lines = file.tables[table]!.rows
    const valuesTable = options.history ? found.history?.tables[options.history.table] : undefined
    const total = lines + (valuesTable?.rows ?? 0)
    const groups = await groupPaths(ctx, options)
    const { decimalComma = false } = file.tables[table]!
    const devices = new DeviceImport(deps, ctx, importId, { ...options, decimalComma }, found.products, groups)
    const failure = (line: number, problems: readonly Problem[]) => {
      const [first] = problems
      if (first) task.failed(`${line}`, first.code, paramsOf(ctx, first))
    }
    let done = run.done
    task.progress(done, total)
    for await (const part of partsOf(keptRows(store, `${file.objectKey}-${table}`, done), PART)) {
      if (task.cancelled()) break
      const { failed } = await devices.part(part)
      for (const { line, problems } of failed) failure(line, problems)
      done += part.length
      task.progress(done, total)
    }
    let values = 0
    if (options.history && found.history && !task.cancelled()) {
      const history = await HistoryImport.begin(
        deps,
        ctx,
        { columns: options.history.columns, decimalComma: valuesTable?.decimalComma ?? false },
        options.dryRun,
        task.failed,
      )
      const key = `${found.history.objectKey}-${options.history.table}`
      for await (const part of partsOf(keptRows(store, key), HISTORY_PART)) {
        if (task.cancelled()) break
        await history.take(part)
        done += part.length
        task.progress(done, total)
      }
      values = history.values
    }
    await saveFailures(task, importId, file, table)
    const end = await database.withTenant(ctx, scope => repo.findImport(scope, importId))
    const made = end ? end.created + end.updated + end.skipped : 0
    return {
      // Not a line was taken: it did not succeed, whatever it was that failed.
      ...(made + values === 0 && !task.cancelled() ? { nothingDone: true } : {}),
      summary: {
        importId,
        dryRun: options.dryRun,
        lines: end?.done,
        created: end?.created,
        updated: end?.updated,
        skipped: end?.skipped,
        groups: options.dryRun ? groups.wouldMake.size : groups.made,
        usersIgnored: devices.usersIgnored,
        values,
      },
    }
  }

  async function groupPaths(ctx: Ctx, options: ImportOptions): Promise<GroupPaths> {
    if (options.createGroups) requirePermission(ctx, 'group:write')
    const uses = (options.columns as (ImportField | null)[]).includes('group')
    const known = uses ? (await deps.groups.list(ctx, { kind: 'device' })).items : []
    const mode = options.createGroups ? (options.dryRun ? 'pretend' : 'make') : 'refuse'
    return new GroupPaths(known, mode, async (name, parentId) => {
      try {
        return { id: (await deps.groups.create(ctx, { kind: 'device', name, parentId })).id, made: true }
      } catch (error) {
        // Another import, or a person, was quicker: both put their devices into the one group.
        if (!isAppError(error) || error.code !== 'group.name_taken') throw error
        const { items } = await deps.groups.list(ctx, { kind: 'device' })
        const there = items.find(group => group.parentId === parentId && group.name === name)
        if (!there) throw error
        return { id: there.id, made: false }
      }
    })
  }

  /** The lines that failed as they were read, each with its reasons: corrected, the file can be imported again. */
  async function saveFailures(
    task: RunningTask,
    importId: string,
    file: repo.ImportFileRow,
    table: number,
  ): Promise<void> {
    const { ctx } = task
    const text = words[ctx.locale]
    const failures = failedLines(ctx, importId)
    let next = await failures.next()
    if (next.done) return
    async function* rows() {
      for await (const { number: line, cells: row } of keptRows(store, `${file.objectKey}-${table}`)) {
        if (next.done) return
        if (next.value.line !== line) continue
        yield {
          ...Object.fromEntries(row.map((cell, at) => [`c${at}`, shownCell(cell)])),
          line,
          reason: next.value.problems
            .map(problem => errorText(ctx.locale, problem.code, paramsOf(ctx, problem)))
            .join('; '),
        }
        next = await failures.next()
      }
    }
    const { columns } = file.tables[table]!
    const reply = await tableExport({
      format: 'csv',
      fileName: text.failures,
      columns: [
        ...columns.map(({ title }, at) => ({ key: `c${at}`, title })),
        { key: 'line', title: text.line, type: 'number' as const },
        { key: 'reason', title: text.reason },
      ],
      rows: rows(),
    })
    await task.saveFile(reply.fileName ?? text.failures, reply.contentType, reply.body as Readable)
  }

  async function* failedLines(ctx: Ctx, importId: string): AsyncGenerator<repo.FailedLine> {
    for (let after = 0; ; ) {
      const failed = await database.withTenant(ctx, scope => repo.failedLines(scope, importId, after))
      if (failed.length === 0) return
      yield* failed
      after = failed.at(-1)!.line
    }
  }
}

async function* partsOf(rows: AsyncIterable<NumberedRow>, size: number): AsyncGenerator<NumberedRow[]> {
  let part: NumberedRow[] = []
  for await (const row of rows) {
    part.push(row)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

function paramsOf(ctx: Ctx, { field, params }: Problem): Record<string, unknown> {
  return { ...(field === 'line' ? {} : { field: words[ctx.locale].fields[field] }), ...params }
}

/** @throws AppError permission.denied */
function requirePermission(ctx: Ctx, permission: Permission): void {
  if (ctx.actor.kind !== 'system' && !ctx.actor.permissions.has(permission))
    throw new AppError('permission.denied', { params: { permission } })
}
