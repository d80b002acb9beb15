import type { QueryOf } from '@thingwright/contracts'
import type { ContactView, contactsContract, NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './contact-export.texts.json' with { type: 'json' }
import { createContactsService } from './contacts.service.ts'
import { listRecords } from './records.service.ts'

type Contract = typeof contactsContract

/** Lists of the alarm template as files. */
export interface ContactExports {
  /** @throws AppError export.too_many_rows */
  contacts(ctx: Ctx, query: QueryOf<Contract['export']>): Promise<StreamReply>
  /** @throws AppError export.too_many_rows */
  records(ctx: Ctx, query: QueryOf<Contract['exportRecords']>): Promise<StreamReply>
}

export function createContactExports(database: Database): ContactExports {
  const service = createContactsService({ database })
  return {
    contacts(ctx, { format, sort: _, ...filters }) {
      const text = words[ctx.locale]
      return listExport<ContactView>(database, ctx, {
        action: 'contact.export',
        objectType: 'contact',
        format,
        filters,
        fileName: `${text.contacts}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'name', title: text.name, value: row => row.name },
          { key: 'email', title: text.email, value: row => row.email },
          { key: 'verifiedAt', title: text.verifiedAt, type: 'time', value: row => row.verifiedAt },
          { key: 'phone', title: text.phone, value: row => row.phone },
          { key: 'phoneVerifiedAt', title: text.phoneVerifiedAt, type: 'time', value: row => row.phoneVerifiedAt },
          { key: 'wechat', title: text.wechat, value: row => row.wechatOpenid },
          { key: 'owner', title: text.owner, value: row => row.owner?.name ?? '' },
          { key: 'minLevel', title: text.minLevel, type: 'number', value: row => row.minLevel },
          { key: 'enabled', title: text.enabled, value: row => (row.enabled ? text.yes : text.no) },
          { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
          { key: 'id', title: text.id, value: row => row.id },
        ],
        rows: everyRow(cursor => service.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
      })
    },

    records(ctx, { format, sort: _, ...filters }) {
      const text = words[ctx.locale]
      return listExport<NotificationRecordView>(database, ctx, {
        action: 'notification_record.export',
        objectType: 'notification_record',
        format,
        filters,
        fileName: `${text.records}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'createdAt', title: text.at, type: 'time', value: row => row.createdAt },
          { key: 'kind', title: text.kind, value: row => text.kinds[row.kind] },
          { key: 'trigger', title: text.trigger, value: row => row.triggerName },
          { key: 'level', title: text.level, type: 'number', value: row => row.level },
          { key: 'device', title: text.device, value: row => row.deviceName },
          { key: 'channel', title: text.channel, value: row => text.channels[row.channel] },
          { key: 'to', title: text.to, value: row => row.contactName },
          { key: 'address', title: text.address, value: row => row.address },
          { key: 'state', title: text.state, value: row => text.states[row.state] },
          { key: 'reason', title: text.reason, value: row => row.reason },
          { key: 'receipt', title: text.receipt, value: row => (row.receipt ? text.receipts[row.receipt] : null) },
          { key: 'receiptReason', title: text.receiptReason, value: row => row.receiptReason },
          { key: 'cost', title: text.cost, type: 'number', value: row => row.cost },
          { key: 'attempts', title: text.attempts, type: 'number', value: row => row.attempts },
          { key: 'simulated', title: text.simulated, value: row => (row.simulated ? text.yes : text.no) },
          { key: 'content', title: text.content, value: row => row.content },
          { key: 'sentAt', title: text.sentAt, type: 'time', value: row => row.sentAt },
          { key: 'id', title: text.id, value: row => row.id },
        ],
        rows: everyRow(cursor =>
          listRecords(database, ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
        ),
      })
    },
  }
}
