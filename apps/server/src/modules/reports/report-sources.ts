import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { Permission } from '@thingwright/contracts/permissions'
import type { ReportList, ReportSource } from '@thingwright/contracts/reports.contract'
import type { RouteContract } from '@thingwright/contracts/route'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import type { TableColumn } from '../../lib/table-export/table-export.ts'
import { TableSeen, withTableSink } from '../../lib/table-export/table-sink.ts'
import type { PlannedCall } from '../../lib/tools/tools.ts'
import type { CloudPagesModule } from '../cloud-pages/index.ts'
import type { TelemetryModule } from '../telemetry/index.ts'
import { overviewTable } from './overview-source.ts'
import { pageTable } from './page-source.ts'
import type { Span } from './report-period.ts'
import { fileOf, type ReportFile, type ReportPaper } from './report-table.ts'
import { telemetryTable } from './telemetry-source.ts'

/** The part of the API that reports call from inside, with the permissions of the report's owner. */
export interface ReportApi {
  call(ctx: Ctx, call: PlannedCall): Promise<unknown>
  download(ctx: Ctx, call: PlannedCall): Promise<StreamReply>
  downloadOf(route: string): RouteContract | null
}

export interface SourceDeps {
  api: ReportApi
  telemetry: { service: Pick<TelemetryModule['service'], 'intervals'> }
  cloudPages: Pick<CloudPagesModule, 'publishedValues'>
  /** Devices that the context sees, in the order asked for. */
  names(ctx: Ctx, ids: readonly string[]): Promise<{ id: string; name: string; deviceNo: string }[]>
}

/** @throws AppError permission.denied */
export function requireRight({ actor }: Ctx, permission: Permission): void {
  if (actor.kind !== 'system' && !actor.permissions.has(permission))
    throw new AppError('permission.denied', { params: { permission } })
}

const routeOf = (list: ReportList) => `${API_PATHS[list][0]} ${API_PATHS[list][1]}`

/** Whether a list can be narrowed to a period, and how its moments are written. */
export function periodOf(api: ReportApi, list: ReportList): 'number' | 'text' | null {
  const properties = (api.downloadOf(routeOf(list))?.query as { properties?: Record<string, object> } | undefined)
    ?.properties
  if (!properties?.from || !properties.to) return null
  return (properties.from as { format?: string }).format === 'date-time' ? 'text' : 'number'
}

function listCall(api: ReportApi, source: ReportSource, span: Span | null): PlannedCall {
  const list = source.list!
  const kind = periodOf(api, list)
  const moment = (at: number) => (kind === 'text' ? new Date(at).toISOString() : String(at))
  return {
    route: routeOf(list),
    params: source.params ?? {},
    query: {
      ...source.query,
      ...(span && kind ? { from: moment(span.from), to: moment(span.to) } : {}),
      format: 'csv',
    },
  }
}

/** The columns of a list for the caller. @throws AppError as the list would answer him */
export async function columnsOf(api: ReportApi, ctx: Ctx, source: ReportSource): Promise<readonly TableColumn[]> {
  try {
    const reply = await withTableSink(
      async table => {
        throw new TableSeen(table.columns)
      },
      () => api.download(ctx, listCall(api, source, null)),
    )
    reply.body.destroy()
  } catch (error) {
    if (error instanceof TableSeen) return error.columns
    throw error
  }
  throw new Error(`${source.list} is no table`)
}

/**
 * Makes the file of a report with the permissions of the context at this moment.
 * @param span what it is about; null: as things stand
 * @throws AppError as what it asks would answer, report.column_unknown
 */
export async function makeReport(
  deps: SourceDeps,
  ctx: Ctx,
  source: ReportSource,
  span: Span | null,
  paper: ReportPaper,
): Promise<ReportFile> {
  switch (source.kind) {
    case 'list':
      return listFile(deps.api, ctx, source, span, paper)
    case 'overview':
      return fileOf(await overviewTable(deps.api, ctx, span, paper), paper)
    case 'telemetry':
      requireRight(ctx, 'telemetry:read')
      return fileOf(await telemetryTable(deps, ctx, source, span!, paper), paper)
    case 'page':
      requireRight(ctx, 'page:read')
      return fileOf(await pageTable(deps, ctx, source, paper), paper)
  }
}

async function listFile(
  api: ReportApi,
  ctx: Ctx,
  source: ReportSource,
  span: Span | null,
  paper: ReportPaper,
): Promise<ReportFile> {
  let file: ReportFile | null = null
  const reply = await withTableSink(
    async table => {
      file = await fileOf({ columns: chosenColumns(table.columns, source.columns), rows: table.rows }, paper)
      return file.reply
    },
    () => api.download(ctx, listCall(api, source, span)),
  )
  const made = file as ReportFile | null
  if (!made) throw new Error(`${source.list} is no table`)
  return { reply, rows: made.rows }
}

/** @throws AppError report.column_unknown: one went away since it was chosen */
function chosenColumns(all: readonly TableColumn[], chosen: readonly string[] | undefined): TableColumn[] {
  const columns = all.map(({ key, title, type }) => ({ key, title, ...(type ? { type } : {}) }))
  if (!chosen || chosen.length === 0) return columns
  return chosen.map(key => {
    const column = columns.find(each => each.key === key)
    if (!column) throw new AppError('report.column_unknown', { params: { column: key } })
    return column
  })
}
