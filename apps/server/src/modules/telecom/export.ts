import type { QueryOf } from '@thingwright/contracts'
import type { TelecomKeyView, telecomContract } from '@thingwright/contracts/telecom.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import type { KeysService } from './keys.service.ts'
import words from './telecom-words.json' with { type: 'json' }

/** The keys of a list's filters as a file: no secret, and no callback address, stands in it. */
export function exportKeys(
  deps: { database: Database; keys: Pick<KeysService, 'list'> },
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof telecomContract)['export']>,
): Promise<StreamReply> {
  const { file: text, states, platforms } = words[ctx.locale]
  return listExport<TelecomKeyView>(deps.database, ctx, {
    action: 'telecom_key.export',
    objectType: 'telecom_key',
    format,
    filters,
    fileName: `${text.keys}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'platform', title: text.platform, value: row => platforms[row.platform] },
      { key: 'account', title: text.account, value: row => row.account },
      { key: 'baseUrl', title: text.baseUrl, value: row => row.baseUrl },
      { key: 'state', title: text.state, value: row => states[row.state] },
      {
        key: 'fault',
        title: text.fault,
        value: row => (row.fault ? `${row.fault.code} ${row.fault.text}`.trim() : null),
      },
      { key: 'verifiedAt', title: text.verifiedAt, type: 'time', value: row => row.verifiedAt },
      { key: 'products', title: text.products, value: row => row.products.map(({ name }) => name).join(', ') },
      { key: 'devices', title: text.devices, type: 'number', value: row => row.devices },
      { key: 'refused', title: text.refused, type: 'number', value: row => row.refused },
      { key: 'lastCallbackAt', title: text.lastCallbackAt, type: 'time', value: row => row.lastCallbackAt },
      { key: 'remark', title: text.remark, value: row => row.remark },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
    ],
    rows: everyRow(cursor => deps.keys.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
