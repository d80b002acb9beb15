import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { UserLogView, userLogContract } from '@thingwright/contracts/audit.contract'
import { actorId, type Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { errorText } from '../../lib/i18n.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import type { AuditDeps } from './audit.service.ts'
import words from './audit.texts.json' with { type: 'json' }
import * as repo from './user-log.repo.ts'

type ListUserLog = QueryOf<(typeof userLogContract)['list']>
type UserLogPage = ResponseOf<(typeof userLogContract)['list']>
type ExportUserLog = QueryOf<(typeof userLogContract)['export']>

export interface UserLogService {
  /** What people did that is no change of an object: came in, went, were locked out, commanded, took data out. */
  list(ctx: Ctx, input: ListUserLog): Promise<UserLogPage>
  own(ctx: Ctx, input: ListUserLog): Promise<UserLogPage>
  export(ctx: Ctx, input: ExportUserLog): Promise<StreamReply>
}

export function createUserLogService(deps: Pick<AuditDeps, 'database' | 'placeOf' | 'clientOf'>): UserLogService {
  const { database } = deps

  function toView(row: repo.UserLogRow, ctx: Ctx): UserLogView {
    const { position: _, at, reason, userAgent, ...rest } = row
    return {
      ...rest,
      at: at.toISOString(),
      reason: reason === null ? null : { code: reason, message: errorText(ctx.locale, reason) },
      place: row.ip === null ? null : deps.placeOf(row.ip),
      client: userAgent ? deps.clientOf(userAgent) : null,
    }
  }

  const service: UserLogService = {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const position = decodeCursor(input.cursor, 2)
        const [at, id] = position ?? []
        if (position && (typeof at !== 'string' || typeof id !== 'string')) throw new AppError('request.cursor_invalid')
        const after = position ? ([at as string, id as string] as const) : null
        const filter = filterOf(input)
        const rows = await readFrom(input.cursor, () => repo.listUserLog(scope, filter, after, limit + 1))
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(row => toView(row, ctx)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(input.total === '1' ? { total: await repo.countUserLog(scope, filter) } : {}),
        }
      }),

    async own(ctx, input) {
      const loginId = actorId(ctx.actor)
      if (loginId === null) return { items: [], nextCursor: null }
      return service.list(ctx, { ...input, loginId })
    },

    async export(ctx, { format, ...filters }) {
      const text = words[ctx.locale]
      return listExport<UserLogView>(database, ctx, {
        action: 'user_log.export',
        objectType: 'user_log',
        format,
        filters,
        fileName: `${text.userLog}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'at', title: text.at, type: 'time', value: row => row.at },
          { key: 'username', title: text.user, value: row => row.username },
          { key: 'kind', title: text.kind, value: row => text.kinds[row.kind] },
          { key: 'action', title: text.action, value: row => row.action },
          { key: 'result', title: text.result, value: row => text.results[row.result] },
          { key: 'reason', title: text.reason, value: row => row.reason?.message },
          { key: 'object', title: text.objectName, value: row => row.objectName ?? row.objectId },
          { key: 'ip', title: text.ip, value: row => row.ip },
          { key: 'place', title: text.place, value: row => row.place && text.places[row.place] },
          { key: 'client', title: text.client, value: row => row.client },
        ],
        rows: everyRow(cursor => service.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
      })
    },
  }
  return service
}

function filterOf(input: Omit<ListUserLog, 'limit' | 'cursor' | 'total'>): repo.UserLogFilter {
  const { loginId, kind, result, ip, from, to, q } = input
  const given = { loginId, kind, result, ip, from, to }
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== '')),
    ...(q ? { needle: normaliseForSearch(q) } : {}),
  }
}
