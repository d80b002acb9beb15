import type { QueryOf } from '@thingwright/contracts'
import type { CardOrderRow, cardOrdersContract } from '@thingwright/contracts/card-orders.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import { orderStateText } from '../purchase-orders/index.ts'
import { yuan } from '../wallets/index.ts'
import words from './card-order-words.json' with { type: 'json' }
import type { CardOrdersService } from './card-orders.service.ts'

/**
 * Orders of cards as a file; amounts are yuan with two decimals.
 * @throws AppError export.too_many_rows
 */
export function exportCardOrders(
  database: Database,
  service: CardOrdersService,
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof cardOrdersContract)['export']>,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<CardOrderRow>(database, ctx, {
    action: 'purchase_order.export',
    objectType: 'purchase_order',
    format,
    filters,
    fileName: `${text.file}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
      { key: 'no', title: text.no, value: row => row.no },
      { key: 'carrier', title: text.carrier, value: row => text.carriers[row.carrier] },
      { key: 'plan', title: text.plan, value: row => (ctx.locale === 'zh' ? row.planName : row.planEname) },
      { key: 'form', title: text.form, value: row => text.forms[row.form] },
      { key: 'quantity', title: text.quantity, type: 'number', value: row => row.quantity },
      { key: 'payable', title: text.payable, value: row => yuan(row.payableFen) },
      { key: 'state', title: text.state, value: row => orderStateText(ctx.locale, row.state) },
      { key: 'from', title: text.from, value: row => row.firstIccid },
      { key: 'to', title: text.to, value: row => row.lastIccid },
      { key: 'logistics', title: text.logistics, value: row => row.logisticsCompany },
      { key: 'logisticsNo', title: text.logisticsNo, value: row => row.logisticsNo },
      { key: 'shippedAt', title: text.shippedAt, type: 'time', value: row => row.shippedAt },
      { key: 'receivedAt', title: text.receivedAt, type: 'time', value: row => row.receivedAt },
    ],
    rows: everyRow(cursor => service.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
