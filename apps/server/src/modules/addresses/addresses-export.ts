import type { Ctx } from '../../lib/context.ts'
import type { StreamReply } from '../../lib/http.ts'
import { type TableFormat, tableExport } from '../../lib/table-export/table-export.ts'
import type { AddressesService } from './addresses.service.ts'
import titles from './addresses-export.json' with { type: 'json' }

const KEYS = ['receiver', 'phone', 'province', 'city', 'district', 'detail', 'zip', 'isDefault'] as const

/** The addresses, those in which the text occurs, as a table with titles in the caller's language. */
export async function exportAddresses(
  addresses: Pick<AddressesService, 'list'>,
  ctx: Ctx,
  { format, q = '' }: { format: TableFormat; q?: string },
): Promise<StreamReply> {
  const words = titles[ctx.locale]
  const needle = q.trim().toLowerCase()
  const items = (await addresses.list(ctx)).items.filter(
    item => needle === '' || [...KEYS].some(key => String(item[key]).toLowerCase().includes(needle)),
  )
  return tableExport({
    format,
    fileName: words.fileName,
    columns: KEYS.map(key => ({ key, title: words.columns[key] })),
    rows: (async function* () {
      for (const item of items) yield { ...item, isDefault: item.isDefault ? words.yes : words.no }
    })(),
  })
}
