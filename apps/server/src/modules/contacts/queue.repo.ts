import type { ChannelKind, ChannelProvider, MessageChannel } from '@thingwright/contracts/contacts.words'
import type { TriggerTemplates } from '@thingwright/contracts/trigger-presets.contract'
import type { SystemScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface QuietHours {
  from: string
  to: string
  zone: string
  exceptLevel?: number
}

export interface Recipient {
  id: string
  tenantId: string
  /** Messages within a minute, and within an hour. */
  recent: number
  hour: number
  perHour: number | null
  quiet: QuietHours | null
}

const LOCK_RECIPIENTS = sql<Recipient>`with waiting as (
    select distinct recipient, tenant_id from notification_records
    where state in ('pending', 'sending') and due_at <= $1::timestamptz limit $2)
  select w.recipient as id, w.tenant_id as "tenantId", c.per_hour as "perHour", coalesce(c.quiet, p.quiet) as quiet,
    (select count(*) from notification_records s where s.recipient = w.recipient and s.merged_into is null
      and s.claimed_at > $1::timestamptz - interval '1 minute')::int as recent,
    (select count(*) from notification_records s where s.recipient = w.recipient and s.merged_into is null
      and s.claimed_at > $1::timestamptz - interval '1 hour')::int as hour
  from waiting w left join contacts c on c.id = w.recipient left join notification_policies p on p.tenant_id = w.tenant_id
  where pg_try_advisory_xact_lock(hashtextextended(w.recipient::text, 51))`

/** Receivers with messages that are due, held until the transaction ends. */
export async function lockRecipients(scope: SystemScope, now: Date, limit: number): Promise<Recipient[]> {
  return (await scope.run(LOCK_RECIPIENTS, [now, limit])).rows
}

export interface AlarmFacts {
  alarmId: string | null
  trigger: string | null
  /** It set itself off and is paused. */
  isLoop: boolean
  level: number | null
  device: string | null
  deviceNo: string | null
  product: string | null
  user: string | null
  at: Date | null
  values: { property: string; value: unknown }[] | null
  /** The rule, for its limits. */
  rule: Record<string, unknown> | null
}

export interface DueRow extends AlarmFacts {
  id: string
  tenantId: string
  kind: 'raised' | 'cleared' | 'repeated' | 'escalated' | 'notice' | 'test' | 'resent'
  channel: MessageChannel
  channelId: string | null
  contactId: string | null
  address: string
  locale: 'zh' | 'en'
  attempts: number
  /** Whether the message carries a link that acknowledges the alarm. */
  mayAcknowledge: boolean
  /** Set where the words were chosen when it was made. */
  title: string | null
  content: string | null
  /** Messages of the trigger to this receiver within a day, and how many there may be. */
  today: number
  perDay: number | null
  /** At WeChat, of the preset that the trigger was made from. */
  templates: TriggerTemplates | null
}

/** What a message can say of alarm `a`; `r.kind` decides which moment. */
export const FACTS = part`a.id as "alarmId", a.trigger_name as trigger, coalesce(a.slot = -2, false) as "isLoop", a.level, d.name as device, d.device_no as "deviceNo",
    o.name as product, (select coalesce(nullif(ol.display_name, ''), ol.username) from logins ol where ol.id = d.owner_id) as "user",
    a.raise_values as values, t.document as rule`
export const FACTS_FROM = part`left join devices d on d.id = a.device_id left join products o on o.id = d.product_id
    left join triggers t on t.id = a.trigger_id`

/** Whether the recipient of record `r` may acknowledge: a contact of an end user only while that end user may control. */
export const MAY_ACKNOWLEDGE = part`not exists (select 1 from contacts lc join end_users lo on lo.id = lc.owner_id
    join end_users la on la.id = any (lo.path) left join user_packages lp on lp.id = la.package_id
    where lc.id = r.contact_id and not 'control' = any (coalesce(la.rights, lp.rights, '{}')))`

const DUE_COLUMNS = part`r.id, r.tenant_id as "tenantId", r.kind, r.channel, r.channel_id as "channelId",
    r.contact_id as "contactId", r.address, r.locale, r.attempts, r.title, r.content, ${FACTS},
    ${MAY_ACKNOWLEDGE} as "mayAcknowledge",
    case when r.kind = 'cleared' then coalesce(a.cleared_at, a.raised_at) else a.raised_at end as at,
    (select pr.templates from trigger_presets pr where pr.id = t.preset_id) as templates,
    tm.per_day as "perDay", case when tm.per_day is null then 0 else (select count(*) from notification_records s
      join alarms b on b.id = s.alarm_id where b.trigger_id = a.trigger_id and s.recipient = r.recipient and s.channel = r.channel
        and s.kind <> 'cleared' and s.claimed_at > $2::timestamptz - interval '1 day')::int end as today`
const DUE_FROM = part`notification_records r left join alarms a on a.id = r.alarm_id ${FACTS_FROM}
    left join trigger_messages tm on tm.trigger_id = a.trigger_id`

const DUE = sql<DueRow>`select ${DUE_COLUMNS} from ${DUE_FROM}
  where r.recipient = $1 and r.state in ('pending', 'sending') and r.due_at <= $2::timestamptz
  order by r.created_at, r.id limit $3`
const ONE = sql<DueRow>`select ${DUE_COLUMNS} from ${DUE_FROM} where r.id = $1 and r.state = 'pending'`

/** A record that is not sent yet, whenever it is due; none: somebody was quicker. */
export async function one(scope: SystemScope, id: string, now: Date): Promise<DueRow[]> {
  return (await scope.run(ONE, [id, now])).rows
}

export async function due(scope: SystemScope, recipient: string, now: Date, limit: number): Promise<DueRow[]> {
  return (await scope.run(DUE, [recipient, now, limit])).rows
}

const CLAIM = sql`update notification_records set maybe_twice = maybe_twice or state = 'sending', state = 'sending',
    attempts = attempts + 1, claimed_at = $2, due_at = $2::timestamptz + interval '1 minute',
    merged_into = case when id = $3::uuid then null else $3::uuid end
  where id = any ($1::uuid[])`

/** They go out in one message now; unless somebody says how it went they are due again in a minute. */
export async function claim(scope: SystemScope, ids: readonly string[], now: Date): Promise<void> {
  await scope.run(CLAIM, [ids, now, ids[0]])
}

const POSTPONE = sql`update notification_records set due_at = $2, reason = $3 where id = any ($1::uuid[])`

/** @param reason a word of the console's, shown while it waits */
export async function postpone(
  scope: SystemScope,
  ids: readonly string[],
  until: Date,
  reason: string | null,
): Promise<void> {
  await scope.run(POSTPONE, [ids, until, reason])
}

const CANCEL = sql`update notification_records set state = 'cancelled', reason = $2 where id = any ($1::uuid[])`

export async function cancel(scope: SystemScope, ids: readonly string[], reason: string): Promise<void> {
  await scope.run(CANCEL, [ids, reason])
}

export interface Outcome {
  state: 'sent' | 'failed' | 'pending'
  reason: string | null
  dueAt: Date
  now: Date
  title: string | null
  content: string | null
  ref: string | null
  /** Of the first of the rows. */
  cost: number
  simulated: boolean
}

const SETTLE = sql`update notification_records set state = $2, reason = $3, due_at = $4,
    sent_at = case when $2 = 'sent' then $5::timestamptz end, title = coalesce($6, title), content = coalesce($7, content),
    provider_ref = $8, cost = case when id = $10::uuid then $9 else 0 end, simulated = $11
  where id = any ($1::uuid[]) and state = 'sending'`

export async function settle(scope: SystemScope, ids: readonly string[], o: Outcome): Promise<void> {
  await scope.run(SETTLE, [
    ids,
    o.state,
    o.reason,
    o.dueAt,
    o.now,
    o.title,
    o.content,
    o.ref,
    o.cost,
    ids[0],
    o.simulated,
  ])
}

export interface AccountRow {
  id: string
  tenantId: string
  name: string
  kind: ChannelKind
  provider: ChannelProvider
  config: Record<string, string>
  secrets: Buffer | null
  simulated: boolean
  fault: string | null
  callbackId: string
}

const ACCOUNT = part`id, tenant_id as "tenantId", name, kind, provider, config, secrets, simulated, fault,
    callback_id as "callbackId"`
const ACCOUNT_OF = sql<AccountRow>`select ${ACCOUNT} from notification_channels
  where tenant_id = $1 and kind = $2 and enabled and ($3::uuid is null or id = $3)
  order by fault is not null, id limit 1`

/** The account of a company for a kind of message, the oldest that works; undefined: it has none. */
export async function accountOf(
  scope: SystemScope,
  tenantId: string,
  kind: string,
  id: string | null,
): Promise<AccountRow | undefined> {
  return (await scope.run(ACCOUNT_OF, [tenantId, kind, id])).rows[0]
}

const FAULT = sql<{
  id: string
}>`update notification_channels set fault = $2 where id = $1 and fault is null returning id`

/** @returns false: it was known */
export async function setFault(scope: SystemScope, id: string, fault: string): Promise<boolean> {
  return (await scope.run(FAULT, [id, fault])).rows.length > 0
}

export interface TemplateRow {
  channel: string
  event: 'raised' | 'cleared'
  locale: 'zh' | 'en'
  subject: string
  body: string
  code: string
  approval: 'none' | 'pending' | 'approved' | 'rejected'
}

const TEMPLATES = sql<TemplateRow>`select channel, event, locale, subject, body, code, approval from notification_templates
  where tenant_id = $1`

export async function templatesOf(scope: SystemScope, tenantId: string): Promise<TemplateRow[]> {
  return (await scope.run(TEMPLATES, [tenantId])).rows
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

const RECEIPT = sql<{ id: string }>`update notification_records r set receipt = $3, receipt_reason = $4, receipt_at = $5
  where r.provider_ref = $2 and r.channel_id = $1 and r.receipt is null returning id`

/** Of the records that name the message; the first receipt counts. @returns how many */
export async function noteReceipt(
  scope: SystemScope,
  channelId: string,
  ref: string,
  receipt: { state: 'delivered' | 'failed'; reason: string | null; at: Date },
): Promise<number> {
  return (await scope.run(RECEIPT, [channelId, ref, receipt.state, receipt.reason, receipt.at])).rows.length
}

const BY_CALLBACK = sql<{
  id: string
  provider: string
}>`select id, provider from notification_channels where callback_id = $1`

export async function channelOfCallback(
  scope: SystemScope,
  callbackId: string,
): Promise<{ id: string; provider: string } | undefined> {
  return (await scope.run(BY_CALLBACK, [callbackId])).rows[0]
}
