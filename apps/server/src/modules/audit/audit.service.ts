import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { auditContract } from '@thingwright/contracts/audit.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/paging.ts'
import { normaliseForSearch } from '../../lib/search.ts'
import { type AuditFilter, type AuditRow, countAudit, listAudit } from './audit.repo.ts'

type ListAudit = QueryOf<(typeof auditContract)['list']>
type AuditPage = ResponseOf<(typeof auditContract)['list']>

export interface AuditService {
  /** The operation log of the company, newest first unless asked otherwise. */
  list(ctx: Ctx, input: ListAudit): Promise<AuditPage>
}

export function createAuditService({ database }: { database: Database }): AuditService {
  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const { descending } = parseSort(input.sort, ['at'], '-at')
        const after = readPosition(input.cursor)
        const filter: AuditFilter = {
          ...(input.action ? { action: input.action } : {}),
          ...(input.objectType ? { objectType: input.objectType } : {}),
          ...(input.objectId ? { objectId: input.objectId } : {}),
          ...(input.q ? { needle: normaliseForSearch(input.q) } : {}),
        }
        const rows = await readFrom(input.cursor, () => listAudit(scope, filter, descending, after, limit + 1))
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(input.total === '1' ? { total: await countAudit(scope, filter) } : {}),
        }
      }),
  }
}

function readPosition(cursor: string | undefined): readonly [string, string] | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [at, id] = values
  if (typeof at !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [at, id]
}

function toView({ position: _, at, ...row }: AuditRow): AuditPage['items'][number] {
  return { ...row, at: at.toISOString() }
}
