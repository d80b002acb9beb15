import type { QueryOf } from '@thingwright/contracts'
import type { ProductView, productsContract } from '@thingwright/contracts/products.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './product-export.texts.json' with { type: 'json' }
import type { ProductsService } from './products.service.ts'

type ExportProducts = QueryOf<(typeof productsContract)['export']>

/**
 * The products of a list's filters as a file.
 * @throws AppError export.too_many_rows
 */
export function exportProducts(
  database: Database,
  products: Pick<ProductsService, 'list'>,
  ctx: Ctx,
  { format, ...filters }: ExportProducts,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<ProductView>(database, ctx, {
    action: 'product.export',
    objectType: 'product',
    format,
    filters,
    fileName: `${text.products}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'productKey', title: text.productKey, value: row => row.productKey },
      { key: 'category', title: text.category, value: row => row.category },
      { key: 'linkType', title: text.linkType, value: row => row.linkType },
      { key: 'nodeType', title: text.nodeType, value: row => text.nodeTypes[row.nodeType] },
      { key: 'status', title: text.status, value: row => text.statuses[row.status] },
      { key: 'modelVersion', title: text.modelVersion, type: 'number', value: row => row.modelVersion },
      { key: 'deviceCount', title: text.deviceCount, type: 'number', value: row => row.deviceCount },
      { key: 'onlineCount', title: text.onlineCount, type: 'number', value: row => row.onlineCount },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
      { key: 'updatedAt', title: text.updatedAt, type: 'time', value: row => row.updatedAt },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor => products.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
