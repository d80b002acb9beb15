import type { QueryOf } from '@thingwright/contracts'
import type { endUsersContract } from '@thingwright/contracts/end-users.contract'
import type { Ctx } from '../../lib/context.ts'
import type { StreamReply } from '../../lib/http.ts'
import { EXPORT_PAGE, everyRow, tableExport } from '../../lib/table-export/table-export.ts'
import texts from './end-user-export.texts.json' with { type: 'json' }
import type { EndUsersService } from './end-users.service.ts'

export type EndUserExport = (ctx: Ctx, query: QueryOf<(typeof endUsersContract)['export']>) => Promise<StreamReply>

/** The list as a file, in the caller's language. */
export const exportEndUsers =
  (users: EndUsersService): EndUserExport =>
  (ctx, { format, ...query }) => {
    const text = texts[ctx.locale]
    const rows = everyRow(cursor => users.list(ctx, { ...query, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }))
    return tableExport({
      format,
      fileName: text.fileName,
      columns: [
        { key: 'name', title: text.name },
        { key: 'username', title: text.username },
        { key: 'phone', title: text.phone },
        { key: 'email', title: text.email },
        { key: 'company', title: text.company },
        { key: 'contactName', title: text.contactName },
        { key: 'parent', title: text.parent },
        { key: 'package', title: text.package },
        { key: 'state', title: text.state },
        { key: 'online', title: text.online, type: 'number' },
        { key: 'total', title: text.total, type: 'number' },
        { key: 'openAlarms', title: text.openAlarms, type: 'number' },
        { key: 'smsLeft', title: text.smsLeft, type: 'number' },
        { key: 'lastSignInAt', title: text.lastSignInAt, type: 'time' },
        { key: 'expiresAt', title: text.expiresAt, type: 'time' },
        { key: 'createdAt', title: text.createdAt, type: 'time' },
      ],
      rows: (async function* () {
        for await (const row of rows)
          yield {
            ...row,
            ...row.devices,
            parent: row.parent?.name ?? '',
            package: row.package?.name ?? '',
            state: text.states[row.state],
          }
      })(),
    })
  }
