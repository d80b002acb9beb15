import type { QueryOf } from '@thingwright/contracts'
import type { cloudPagesContract, PageView } from '@thingwright/contracts/cloud-pages.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './cloud-page-export.texts.json' with { type: 'json' }
import type { CloudPagesService } from './cloud-pages.service.ts'

export type ExportPages = QueryOf<(typeof cloudPagesContract)['export']>

/** The pages of a list's filters as a file. @throws AppError export.too_many_rows */
export async function exportPages(
  deps: { database: Database; pages: Pick<CloudPagesService, 'list'> },
  ctx: Ctx,
  { format, ...filters }: ExportPages,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<PageView>(deps.database, ctx, {
    action: 'page.export',
    objectType: 'page',
    format,
    filters,
    fileName: `${text.pages}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'suffix', title: text.suffix, value: row => `page/${row.suffix}` },
      { key: 'kind', title: text.kind, value: row => text.kinds[row.kind] },
      { key: 'state', title: text.state, value: row => text.states[row.state] },
      { key: 'visibility', title: text.visibility, value: row => text.visibilities[row.visibility] },
      { key: 'control', title: text.control, value: row => text.controls[row.control] },
      { key: 'version', title: text.version, value: row => row.publishedNo },
      { key: 'views', title: text.views, value: row => row.views },
      { key: 'owner', title: text.owner, value: row => row.ownerName },
      { key: 'publishedAt', title: text.publishedAt, type: 'time', value: row => row.publishedAt },
      { key: 'updatedAt', title: text.updatedAt, type: 'time', value: row => row.updatedAt },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor => deps.pages.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
