import type { QueryOf } from '@thingwright/contracts'
import type { MeterStatementRow, meterStatementsContract } from '@thingwright/contracts/meter-statements.contract'
import type { MeterRow, metersContract } from '@thingwright/contracts/meters.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import { yuan } from '../wallets/index.ts'
import type { MetersService } from './meters.service.ts'
import type { StatementsService } from './statements.service.ts'
import words from './tariff-words.json' with { type: 'json' }

/** Meters as a file. */
export function exportMeters(
  { database, meters }: { database: Database; meters: MetersService },
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof metersContract)['export']>,
): Promise<StreamReply> {
  const text = words.export[ctx.locale]
  return listExport<MeterRow>(database, ctx, {
    action: 'meter.export',
    objectType: 'meter',
    format,
    filters,
    fileName: `${text.meters}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.meter, value: row => row.name },
      { key: 'device', title: text.device, value: row => row.deviceName },
      { key: 'property', title: text.property, value: row => row.property },
      { key: 'user', title: text.user, value: row => row.endUserName },
      { key: 'tariff', title: text.tariff, value: row => row.tariffName },
      { key: 'mode', title: text.mode, value: row => text.modes[row.mode] },
      { key: 'factor', title: text.factor, value: row => row.factor },
      { key: 'from', title: text.fromDay, value: row => row.fromDay },
      { key: 'to', title: text.toDay, value: row => row.toDay ?? '' },
      { key: 'billedTo', title: text.billedTo, type: 'time', value: row => row.billedTo },
      { key: 'billedValue', title: text.billedValue, value: row => row.billedValue ?? '' },
      { key: 'problem', title: text.problem, value: row => row.problem?.message ?? '' },
    ],
    rows: everyRow(cursor => meters.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}

/** Statements as a file; amounts are yuan with two decimals. */
export function exportStatements(
  { database, statements }: { database: Database; statements: StatementsService },
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof meterStatementsContract)['export']>,
): Promise<StreamReply> {
  const text = words.export[ctx.locale]
  return listExport<MeterStatementRow>(database, ctx, {
    action: 'meter_statement.export',
    objectType: 'meter_statement',
    format,
    filters,
    fileName: `${text.statements}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'no', title: text.no, value: row => row.no },
      { key: 'month', title: text.month, value: row => row.month },
      { key: 'user', title: text.user, value: row => row.endUserName },
      { key: 'meter', title: text.meter, value: row => row.meterName },
      { key: 'device', title: text.device, value: row => row.deviceName },
      { key: 'tariff', title: text.tariff, value: row => row.tariffName },
      { key: 'mode', title: text.mode, value: row => text.modes[row.mode] },
      { key: 'fromAt', title: text.fromAt, type: 'time', value: row => row.fromAt },
      { key: 'toAt', title: text.toAt, type: 'time', value: row => row.toAt },
      { key: 'quantity', title: text.quantity, value: row => row.quantity },
      { key: 'unit', title: text.unit, value: row => row.unit },
      { key: 'openQuantity', title: text.openQuantity, value: row => row.openQuantity },
      { key: 'amount', title: text.amount, value: row => yuan(row.amountFen) },
      { key: 'paid', title: text.paid, value: row => yuan(row.paidFen) },
      { key: 'state', title: text.state, value: row => text.states[row.state] },
      { key: 'issuedAt', title: text.issuedAt, type: 'time', value: row => row.issuedAt },
    ],
    rows: everyRow(cursor => statements.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
