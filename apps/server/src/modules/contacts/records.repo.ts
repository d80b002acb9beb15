import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

// What is to be sent

const PLANNED = part`insert into notification_records (id, tenant_id, alarm_id, contact_id, contact_name, channel, kind, address,
    locale, due_at, created_at)`

const PLAN_RAISED = sql`${PLANNED}
  select gen_random_uuid(), a.tenant_id, a.id, c.id, c.name, 'email', 'raised', c.email, c.locale, $1::timestamptz, clock_timestamp()
  from alarms a join contacts c on c.tenant_id = a.tenant_id and c.enabled and c.verified_at is not null
    and a.level >= c.min_level and a.raised_at >= c.since
  where ($2::uuid[] is null or a.id = any ($2::uuid[])) and a.raised_at > $1::timestamptz - interval '1 day'
    and not a.suppressed and a.work <> 'ignored'
    and not exists (select 1 from notification_records r where r.alarm_id = a.id and r.contact_id = c.id and r.kind = 'raised')
  order by a.raised_at, a.id on conflict do nothing`

const PLAN_CLEARED = sql`${PLANNED}
  select gen_random_uuid(), r.tenant_id, r.alarm_id, r.contact_id, r.contact_name, r.channel, 'cleared', r.address, r.locale,
    $1::timestamptz, clock_timestamp()
  from notification_records r join alarms a on a.id = r.alarm_id join contacts c on c.id = r.contact_id and c.enabled
  where ($2::uuid[] is null or a.id = any ($2::uuid[])) and r.kind = 'raised' and not a.active and not a.suppressed
    and a.cleared_at > $1::timestamptz - interval '1 day' and c.verified_at is not null and lower(c.email) = lower(r.address)
    and not exists (select 1 from notification_records o where o.alarm_id = r.alarm_id and o.contact_id = r.contact_id and o.kind = 'cleared')
  order by a.cleared_at, a.id on conflict do nothing`

/**
 * Notes for whom there is a message about alarms, each once however often it is asked.
 * @param alarmIds null: all of the last day
 * @returns how many messages are new
 */
export async function plan(scope: SystemScope, now: Date, alarmIds: readonly string[] | null): Promise<number> {
  const raised = await scope.run(PLAN_RAISED, [now, alarmIds])
  const cleared = await scope.run(PLAN_CLEARED, [now, alarmIds])
  return (raised.rowCount ?? 0) + (cleared.rowCount ?? 0)
}

const LOCK_CONTACTS = sql<{ id: string; recent: number }>`select c.id,
    (select count(*) from notification_records s where s.contact_id = c.id and s.merged_into is null
      and s.claimed_at > $1::timestamptz - interval '1 minute')::int as recent
  from contacts c where exists (select 1 from notification_records r where r.contact_id = c.id
    and r.state in ('pending', 'sending') and r.due_at <= $1::timestamptz)
  order by c.id limit $2 for update of c skip locked`

/** Contacts with messages that are due, held until the transaction ends; `recent`: messages within a minute. */
export async function lockContacts(scope: SystemScope, now: Date, limit: number) {
  return (await scope.run(LOCK_CONTACTS, [now, limit])).rows
}

export interface DueRow {
  id: string
  kind: 'raised' | 'cleared'
  address: string
  locale: 'zh' | 'en'
  attempts: number
  alarmId: string
  trigger: string
  level: number
  device: string | null
  at: Date
  values: { property: string; value: unknown }[]
}

const DUE = sql<DueRow>`select r.id, r.kind, r.address, r.locale, r.attempts, a.id as "alarmId", a.trigger_name as trigger, a.level,
    d.name as device, case when r.kind = 'raised' then a.raised_at else coalesce(a.cleared_at, a.raised_at) end as at,
    a.raise_values as values
  from notification_records r join alarms a on a.id = r.alarm_id left join devices d on d.id = a.device_id
  where r.contact_id = $1 and r.state in ('pending', 'sending') and r.due_at <= $2::timestamptz
  order by r.created_at, r.id limit $3`

export async function due(scope: SystemScope, contactId: string, now: Date, limit: number): Promise<DueRow[]> {
  return (await scope.run(DUE, [contactId, now, limit])).rows
}

const CLAIM = sql`update notification_records set maybe_twice = maybe_twice or state = 'sending', state = 'sending',
    attempts = attempts + 1, claimed_at = $2, due_at = $2::timestamptz + interval '1 minute',
    merged_into = case when id = $3::uuid then null else $3::uuid end
  where id = any ($1::uuid[])`

/** They go out in one message now; unless somebody says how it went they are due again in a minute. */
export async function claim(scope: SystemScope, ids: readonly string[], now: Date): Promise<void> {
  await scope.run(CLAIM, [ids, now, ids[0]])
}

const POSTPONE = sql`update notification_records set due_at = $2
  where contact_id = $1 and state in ('pending', 'sending') and due_at <= $3::timestamptz`

export async function postpone(scope: SystemScope, contactId: string, until: Date, now: Date): Promise<void> {
  await scope.run(POSTPONE, [contactId, until, now])
}

const SETTLE = sql`update notification_records set state = $2, reason = $3, due_at = $4,
    sent_at = case when $2 = 'sent' then $5::timestamptz end
  where id = any ($1::uuid[]) and state = 'sending'`

export async function settle(
  scope: SystemScope,
  ids: readonly string[],
  outcome: { state: 'sent' | 'failed' | 'pending'; reason: string | null; dueAt: Date; now: Date },
): Promise<void> {
  await scope.run(SETTLE, [ids, outcome.state, outcome.reason, outcome.dueAt, outcome.now])
}

const FORGET = sql`delete from notification_records where created_at < $1`

export async function forget(scope: SystemScope, before: Date): Promise<void> {
  await scope.run(FORGET, [before])
}

const WAITING = sql<{ count: number; oldest: Date | null }>`select count(*)::int as count, min(created_at) as oldest
  from notification_records where state in ('pending', 'sending')`

export async function waiting(scope: SystemScope): Promise<{ count: number; oldest: Date | null }> {
  return (await scope.run(WAITING)).rows[0]!
}

// What became of it

export interface RecordRow extends Omit<NotificationRecordView, 'sentAt' | 'createdAt'> {
  sentAt: Date | null
  createdAt: Date
  /** The time as PostgreSQL prints it, with its microseconds. */
  position: string
}

export interface RecordFilter {
  q: string
  state: string | null
  alarmId: string | null
  contactId: string | null
}

const RECORDS = sql<RecordRow>`select r.id, r.alarm_id as "alarmId", a.trigger_name as "triggerName", a.level, d.name as "deviceName",
    r.contact_id as "contactId", r.contact_name as "contactName", r.channel, r.kind, r.address, r.state, r.attempts,
    r.merged_into is not null as merged, r.maybe_twice as "maybeTwice", r.reason, r.sent_at as "sentAt", r.created_at as "createdAt",
    r.created_at::text as position
  from notification_records r join alarms a on a.id = r.alarm_id left join devices d on d.id = a.device_id
  where r.tenant_id = $1 and ($2::text is null or r.state = $2) and ($3::uuid is null or r.alarm_id = $3)
    and ($4::uuid is null or r.contact_id = $4)
    and ($5 = '' or position(lower($5) in lower(r.contact_name || ' ' || r.address || ' ' || a.trigger_name)) > 0)
    and ($6::timestamptz is null or (r.created_at, r.id) < ($6::timestamptz, $7::uuid))
  order by r.created_at desc, r.id desc limit $8`

/** Of alarms that the caller may see. */
export async function records(
  scope: TenantScope,
  filter: RecordFilter,
  after: readonly [string, string] | null,
  limit: number,
): Promise<RecordRow[]> {
  const { q, state, alarmId, contactId } = filter
  const [at, id] = after ?? [null, null]
  return (await scope.run(RECORDS, [scope.tenantId, state, alarmId, contactId, q, at, id, limit])).rows
}
