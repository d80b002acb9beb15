import type { QueryOf } from '@thingwright/contracts'
import type { InvoiceRow, invoicesContract } from '@thingwright/contracts/invoices.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import { yuan } from '../wallets/index.ts'
import words from './invoice-words.json' with { type: 'json' }
import type { InvoicesService } from './invoices.service.ts'

/** Invoices as a file; amounts are yuan with two decimals, those of red-letter invoices below zero. */
export function exportInvoices(
  { database, service }: { database: Database; service: InvoicesService },
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof invoicesContract)['export']>,
): Promise<StreamReply> {
  const text = words.export[ctx.locale]
  return listExport<InvoiceRow>(database, ctx, {
    action: 'invoice.export',
    objectType: 'invoice',
    format,
    filters,
    fileName: `${text.file}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'no', title: text.no, value: row => row.no },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
      { key: 'type', title: text.type, value: row => text.types[row.type] },
      { key: 'title', title: text.title, value: row => row.title },
      { key: 'amount', title: text.amount, value: row => yuan(row.redOf ? -row.amountFen : row.amountFen) },
      { key: 'reversed', title: text.reversed, value: row => yuan(row.reversedFen) },
      { key: 'state', title: text.state, value: row => text.states[row.state] },
      { key: 'number', title: text.number, value: row => row.number ?? '' },
      { key: 'issuedAt', title: text.issuedAt, type: 'time', value: row => row.issuedAt },
      { key: 'reason', title: text.reason, value: row => row.reason ?? '' },
    ],
    rows: everyRow(cursor => service.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
