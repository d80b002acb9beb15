import type { QueryOf } from '@thingwright/contracts'
import type { OrderRow, purchaseOrdersContract, RechargeView } from '@thingwright/contracts/purchase-orders.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import { yuan } from '../wallets/index.ts'
import words from './order-words.json' with { type: 'json' }
import type { OrdersService } from './orders.service.ts'

type Contract = typeof purchaseOrdersContract

export interface OrderExports {
  /** @throws AppError export.too_many_rows */
  orders(ctx: Ctx, input: QueryOf<Contract['export']>): Promise<StreamReply>
  /** @throws AppError export.too_many_rows */
  recharges(ctx: Ctx, input: QueryOf<Contract['exportRecharges']>): Promise<StreamReply>
}

/** Orders and top-ups as files; amounts are yuan with two decimals. */
export function createOrderExports(database: Database, service: OrdersService): OrderExports {
  return {
    orders(ctx, { format, ...filters }) {
      const text = words[ctx.locale]
      const nameOf = (row: OrderRow) => (ctx.locale === 'zh' ? row.items[0]?.name : row.items[0]?.ename)
      return listExport<OrderRow>(database, ctx, {
        action: 'purchase_order.export',
        objectType: 'purchase_order',
        format,
        filters,
        fileName: `${text.orders}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
          { key: 'no', title: text.no, value: row => row.no },
          { key: 'kind', title: text.kind, value: row => text.kinds[row.kind] },
          { key: 'what', title: text.what, value: nameOf },
          { key: 'quantity', title: text.quantity, type: 'number', value: row => row.items[0]?.quantity ?? 0 },
          { key: 'payable', title: text.payable, value: row => yuan(row.payableFen) },
          { key: 'paid', title: text.paid, value: row => yuan(row.paidFen) },
          { key: 'refunded', title: text.refunded, value: row => yuan(row.refundedFen) },
          { key: 'state', title: text.state, value: row => text.states[row.state] },
          {
            key: 'provider',
            title: text.provider,
            value: row => (row.provider ? text.providers[row.provider] : ''),
          },
          { key: 'paidAt', title: text.paidAt, type: 'time', value: row => row.paidAt },
          { key: 'buyer', title: text.buyer, value: row => row.buyerName },
        ],
        rows: everyRow(cursor => service.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
      })
    },
    recharges(ctx, { format, ...filters }) {
      const text = words[ctx.locale]
      return listExport<RechargeView>(database, ctx, {
        action: 'recharge.export',
        objectType: 'recharge',
        format,
        filters,
        fileName: `${text.recharges}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
          { key: 'no', title: text.no, value: row => row.no },
          { key: 'amount', title: text.amount, value: row => yuan(row.amountFen) },
          { key: 'state', title: text.state, value: row => text.rechargeStates[row.state] },
          {
            key: 'provider',
            title: text.provider,
            value: row => (row.provider ? text.providers[row.provider] : ''),
          },
          { key: 'paidAt', title: text.paidAt, type: 'time', value: row => row.paidAt },
          { key: 'buyer', title: text.buyer, value: row => row.buyerName },
        ],
        rows: everyRow(cursor =>
          service.recharges(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
        ),
      })
    },
  }
}

/** The state of an order in words. */
export const orderStateText = (locale: Ctx['locale'], state: OrderRow['state']): string => words[locale].states[state]
