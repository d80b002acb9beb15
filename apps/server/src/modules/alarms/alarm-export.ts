import type { QueryOf } from '@thingwright/contracts'
import type { AlarmView, alarmsContract } from '@thingwright/contracts/alarms.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './alarm-export.texts.json' with { type: 'json' }
import type { AlarmFiguresService } from './alarm-figures.service.ts'
import type { AlarmsService } from './alarms.service.ts'

export type ExportAlarms = QueryOf<(typeof alarmsContract)['export']>

/**
 * The alarms of a list's filters as a file.
 * @throws AppError export.too_many_rows
 */
export async function exportAlarms(
  deps: { database: Database; alarms: Pick<AlarmsService, 'list'>; figures: Pick<AlarmFiguresService, 'levels'> },
  ctx: Ctx,
  { format, ...filters }: ExportAlarms,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  const { items: levels } = await deps.figures.levels(ctx)
  const levelName = (level: number) => {
    const found = levels.find(one => one.level === level)
    return found ? (ctx.locale === 'zh' ? found.name : found.ename) : String(level)
  }
  return listExport<AlarmView>(deps.database, ctx, {
    action: 'alarm.export',
    objectType: 'alarm',
    format,
    filters,
    fileName: `${text.alarms}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'raisedAt', title: text.raisedAt, type: 'time', value: row => row.raisedAt },
      { key: 'level', title: text.level, value: row => levelName(row.level) },
      { key: 'trigger', title: text.trigger, value: row => row.triggerName },
      { key: 'device', title: text.device, value: row => row.deviceName },
      { key: 'deviceNo', title: text.deviceNo, value: row => row.deviceNo },
      { key: 'product', title: text.product, value: row => row.productName },
      { key: 'owner', title: text.owner, value: row => row.owner?.name ?? null },
      { key: 'values', title: text.values, value: row => valuesOf(row.raiseValues) },
      { key: 'count', title: text.count, type: 'number', value: row => row.count },
      { key: 'active', title: text.active, value: row => (row.active ? text.yes : text.no) },
      { key: 'acknowledged', title: text.acknowledged, value: row => row.acknowledgedName },
      { key: 'acknowledgedAt', title: text.acknowledgedAt, type: 'time', value: row => row.acknowledgedAt },
      { key: 'work', title: text.work, value: row => text.works[row.work] },
      { key: 'assignee', title: text.assignee, value: row => row.assigneeName },
      { key: 'lastAt', title: text.lastAt, type: 'time', value: row => row.lastAt },
      { key: 'clearedAt', title: text.clearedAt, type: 'time', value: row => row.clearedAt },
      { key: 'result', title: text.result, value: row => row.result },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor => deps.alarms.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}

function valuesOf(values: AlarmView['raiseValues']): string {
  return values
    .map(({ property, value }) => `${property}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ')
}
