import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface RecordRow extends Omit<NotificationRecordView, 'sentAt' | 'createdAt' | 'receiptAt'> {
  sentAt: Date | null
  receiptAt: Date | null
  createdAt: Date
  /** The time as PostgreSQL prints it, with its microseconds. */
  position: string
}

export interface RecordFilter {
  q: string
  state: string | null
  alarmId: string | null
  contactId: string | null
  channel: string | null
  kind: string | null
  id: string | null
}

const COLUMNS = part`r.id, r.alarm_id as "alarmId", a.trigger_name as "triggerName", a.level, d.name as "deviceName",
    r.contact_id as "contactId", r.contact_name as "contactName", r.channel, r.channel_id as "channelId", r.kind, r.step, r.address,
    r.state, r.attempts, r.merged_into is not null as merged, r.maybe_twice as "maybeTwice", r.reason, r.title, r.content,
    r.receipt, r.receipt_reason as "receiptReason", r.receipt_at as "receiptAt", r.cost, r.simulated, r.sent_at as "sentAt",
    r.created_at as "createdAt", r.created_at::text as position`

const RECORDS = sql<RecordRow>`select ${COLUMNS}
  from notification_records r left join alarms a on a.id = r.alarm_id left join devices d on d.id = a.device_id
  where r.tenant_id = $1 and (r.alarm_id is null or a.id is not null) and ($2::text is null or r.state = $2)
    and ($3::uuid is null or r.alarm_id = $3) and ($4::uuid is null or r.contact_id = $4)
    and ($5 = '' or position(lower($5) in r.search_text) > 0 or r.alarm_id in (
      select n.id from alarms n where n.tenant_id = $1 and position(lower($5) in lower(n.trigger_name)) > 0))
    and ($6::timestamptz is null or (r.created_at, r.id) < ($6::timestamptz, $7::uuid))
    and ($9::text is null or r.channel = $9) and ($10::text is null or r.kind = $10) and ($11::uuid is null or r.id = $11)
  order by r.created_at desc, r.id desc limit $8`

/** Of alarms that the caller may see. */
export async function records(
  scope: TenantScope,
  filter: RecordFilter,
  after: readonly [string, string] | null,
  limit: number,
): Promise<RecordRow[]> {
  const { q, state, alarmId, contactId, channel, kind, id: own } = filter
  const [at, id] = after ?? [null, null]
  return (await scope.run(RECORDS, [scope.tenantId, state, alarmId, contactId, q, at, id, limit, channel, kind, own]))
    .rows
}

export interface NewRecord {
  id: string
  alarmId: string | null
  contactId: string | null
  contactName: string
  channel: string
  channelId: string | null
  recipient: string
  kind: 'notice' | 'test' | 'resent'
  address: string
  locale: 'zh' | 'en'
  title: string | null
  content: string | null
}

const INSERT = sql`insert into notification_records (id, tenant_id, alarm_id, contact_id, contact_name, channel, channel_id, recipient,
    kind, address, locale, title, content, due_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, clock_timestamp())`

/** Something to be sent that no alarm planned. @param dueAt in the future: whoever made it sends it himself */
export async function insert(scope: TenantScope, r: NewRecord, dueAt: Date): Promise<void> {
  const to = [r.contactId, r.contactName, r.channel, r.channelId, r.recipient, r.kind, r.address, r.locale]
  await scope.run(INSERT, [r.id, scope.tenantId, r.alarmId, ...to, r.title, r.content, dueAt])
}

const AGAIN = sql<NewRecord & { state: string }>`select r.id, r.alarm_id as "alarmId", r.contact_id as "contactId",
    r.contact_name as "contactName", r.channel, r.channel_id as "channelId", r.recipient, r.kind, r.address, r.locale, r.title,
    r.content, r.state
  from notification_records r left join alarms a on a.id = r.alarm_id
  where r.id = $1 and r.tenant_id = $2 and (r.alarm_id is null or a.id is not null)`

/** A record as it would be made again. */
export async function known(scope: TenantScope, id: string): Promise<(NewRecord & { state: string }) | undefined> {
  return (await scope.run(AGAIN, [id, scope.tenantId])).rows[0]
}
