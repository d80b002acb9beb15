import type { Ctx } from '../../lib/context.ts'
import type { StreamReply } from '../../lib/http.ts'
import { EXPORT_PAGE, everyRow, type TableFormat, tableExport } from '../../lib/table-export/table-export.ts'
import type { MediaListInput, MediaService } from './media.service.ts'
import titles from './media-export.json' with { type: 'json' }

export type MediaExport = (ctx: Ctx, input: MediaListInput & { format: TableFormat }) => Promise<StreamReply>

const COLUMNS = [
  { key: 'name' },
  { key: 'kind' },
  { key: 'contentType' },
  { key: 'size', type: 'number' },
  { key: 'width', type: 'number' },
  { key: 'height', type: 'number' },
  { key: 'tags' },
  { key: 'public' },
  { key: 'uses', type: 'number' },
  { key: 'createdBy' },
  { key: 'createdAt', type: 'time' },
  { key: 'id' },
  { key: 'sha256' },
] as const

/** The list as it is filtered, as a table with titles in the caller's language. */
export function createMediaExport(media: Pick<MediaService, 'list'>): MediaExport {
  return (ctx, { format, ...input }) => {
    const words = titles[ctx.locale]
    const rows = async function* () {
      const pages = everyRow(cursor =>
        media.list(ctx, { ...input, limit: EXPORT_PAGE, ...(cursor === undefined ? {} : { cursor }) }),
      )
      for await (const row of pages)
        yield {
          ...row,
          kind: words.kinds[row.kind],
          tags: row.tags.join(', '),
          public: row.public ? words.yes : words.no,
        }
    }
    return tableExport({
      format,
      fileName: words.fileName,
      columns: COLUMNS.map(column => ({ ...column, title: words.columns[column.key] })),
      rows: rows(),
    })
  }
}
