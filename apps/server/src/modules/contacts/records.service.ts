import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { contactsContract } from '@thingwright/contracts/contacts.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import * as repo from './records.repo.ts'

type Records = (typeof contactsContract)['records']

/** Messages about alarms that the caller may see, newest first. */
export async function listRecords(database: Database, ctx: Ctx, query: QueryOf<Records>): Promise<ResponseOf<Records>> {
  const limit = query.limit ?? 20
  const after = positionOf(query.cursor)
  const filter = {
    q: query.q?.trim() ?? '',
    state: query.state ?? null,
    alarmId: query.alarmId ?? null,
    contactId: query.contactId ?? null,
  }
  const rows = await readFrom(query.cursor, () =>
    database.withTenant(ctx, scope => repo.records(scope, filter, after, limit + 1)),
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(({ position: _, sentAt, createdAt, ...row }) => ({
      ...row,
      sentAt: sentAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
    })),
    nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
  }
}

function positionOf(cursor: string | undefined): readonly [string, string] | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [at, id] = values
  if (typeof at !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [at, id]
}
