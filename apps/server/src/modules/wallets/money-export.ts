import type { QueryOf } from '@thingwright/contracts'
import type { ConsumptionView, EntryView, UnitUseView, walletsContract } from '@thingwright/contracts/wallets.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import { yuan } from './ledger.ts'
import words from './money-words.json' with { type: 'json' }
import type { WalletsService } from './wallets.service.ts'

type Contract = typeof walletsContract

export interface MoneyExports {
  /** @throws AppError export.too_many_rows */
  entries(ctx: Ctx, input: QueryOf<Contract['exportEntries']>): Promise<StreamReply>
  /** @throws AppError export.too_many_rows */
  consumption(ctx: Ctx, input: QueryOf<Contract['exportConsumption']>): Promise<StreamReply>
  /** @throws AppError export.too_many_rows */
  unitUses(ctx: Ctx, input: QueryOf<Contract['exportUnitUses']>): Promise<StreamReply>
}

/** Movements and charges as files; amounts are yuan with two decimals. */
export function createMoneyExports(database: Database, service: WalletsService): MoneyExports {
  return {
    entries(ctx, { format, ...filters }) {
      const text = words[ctx.locale]
      return listExport<EntryView>(database, ctx, {
        action: 'wallet.export',
        objectType: 'wallet',
        format,
        filters,
        fileName: `${text.entries}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'at', title: text.at, type: 'time', value: row => row.at },
          { key: 'no', title: text.no, value: row => row.no },
          { key: 'kind', title: text.kind, value: row => text.kinds[row.kind] },
          { key: 'amount', title: text.amount, value: row => yuan(row.amountFen) },
          { key: 'before', title: text.before, value: row => yuan(row.beforeFen) },
          { key: 'after', title: text.after, value: row => yuan(row.afterFen) },
          { key: 'order', title: text.order, value: row => row.causeNo },
          { key: 'actor', title: text.actor, value: row => row.actorName },
          { key: 'remark', title: text.remark, value: row => row.remark },
        ],
        rows: everyRow(cursor =>
          service.entries(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
        ),
      })
    },
    unitUses(ctx, { format, ...filters }) {
      const text = words[ctx.locale]
      return listExport<UnitUseView>(database, ctx, {
        action: 'unit_use.export',
        objectType: 'unit_use',
        format,
        filters,
        fileName: `${text.unitUses}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'at', title: text.at, type: 'time', value: row => row.at },
          { key: 'kind', title: text.kind, value: row => text.items[row.kind] },
          { key: 'address', title: text.address, value: row => row.address },
          { key: 'contact', title: text.contact, value: row => row.contact },
          { key: 'trigger', title: text.trigger, value: row => row.trigger },
          { key: 'content', title: text.content, value: row => row.content },
          { key: 'units', title: text.quantity, type: 'number', value: row => row.units },
          { key: 'state', title: text.state, value: row => text.useStates[row.state] },
          { key: 'receipt', title: text.receipt, value: row => row.receipt ?? '' },
          { key: 'reason', title: text.reason, value: row => row.reason ?? '' },
        ],
        rows: everyRow(cursor =>
          service.unitUses(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
        ),
      })
    },
    consumption(ctx, { format, ...filters }) {
      const text = words[ctx.locale]
      return listExport<ConsumptionView>(database, ctx, {
        action: 'consumption.export',
        objectType: 'consumption',
        format,
        filters,
        fileName: `${text.consumption}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'at', title: text.at, type: 'time', value: row => row.at },
          { key: 'item', title: text.item, value: row => text.items[row.item] },
          { key: 'object', title: text.object, value: row => row.objectName },
          { key: 'quantity', title: text.quantity, type: 'number', value: row => row.quantity },
          { key: 'unitPrice', title: text.unitPrice, value: row => yuan(row.unitPriceFen) },
          { key: 'amount', title: text.amount, value: row => yuan(row.amountFen) },
          {
            key: 'after',
            title: text.after,
            value: row => (row.balanceAfterFen === null ? '' : yuan(row.balanceAfterFen)),
          },
          { key: 'from', title: text.from, type: 'time', value: row => row.periodFrom },
          { key: 'to', title: text.to, type: 'time', value: row => row.periodTo },
          { key: 'order', title: text.order, value: row => row.orderNo },
        ],
        rows: everyRow(cursor =>
          service.consumption(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
        ),
      })
    },
  }
}
