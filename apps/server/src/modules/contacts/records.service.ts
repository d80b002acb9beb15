import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { contactsContract, NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
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
    channel: query.channel ?? null,
    kind: query.kind ?? null,
    id: null,
  }
  const rows = await readFrom(query.cursor, () =>
    database.withTenant(ctx, scope => repo.records(scope, filter, after, limit + 1)),
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(toView),
    nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
  }
}

const EVERY = { q: '', state: null, alarmId: null, contactId: null, channel: null, kind: null }

/** @throws AppError record.not_found also of an alarm that the caller may not see */
export async function getRecord(database: Database, ctx: Ctx, id: string): Promise<NotificationRecordView> {
  const [row] = await database.withTenant(ctx, scope => repo.records(scope, { ...EVERY, id }, null, 1))
  if (!row) throw new AppError('record.not_found')
  return toView(row)
}

function toView({ position: _, sentAt, createdAt, receiptAt, ...row }: repo.RecordRow): NotificationRecordView {
  return {
    ...row,
    sentAt: sentAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    receiptAt: receiptAt?.toISOString() ?? null,
  }
}

function positionOf(cursor: string | undefined): readonly [string, string] | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [at, id] = values
  if (typeof at !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [at, id]
}

export type Resend = (ctx: Ctx, id: string) => Promise<NotificationRecordView>

/** Sends a message that did not arrive once more: a record of its own. */
export function createResend(deps: {
  database: Database
  sendNow(recordId: string): Promise<void>
  now(): number
}): Resend {
  const { database } = deps
  return async (ctx, id) => {
    const recordId = newId(ctx.now)
    await database.withTenant(ctx, async scope => {
      const before = await repo.known(scope, id)
      if (!before) throw new AppError('record.not_found')
      if (before.state !== 'failed' && before.state !== 'cancelled') throw new AppError('record.not_failed')
      await repo.insert(scope, { ...before, id: recordId, kind: 'resent' }, new Date(deps.now() + 60_000))
      await recordAudit(scope, ctx, {
        action: 'notification_record.resend',
        objectType: 'notification_record',
        objectId: id,
        objectName: before.contactName,
        after: { recordId },
      })
    })
    await deps.sendNow(recordId)
    return await getRecord(database, ctx, recordId)
  }
}
