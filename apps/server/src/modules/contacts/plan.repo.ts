import type { SystemScope } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

// Receivers: each is planned once, however often this runs.

const PLANNED = part`insert into notification_records (id, tenant_id, alarm_id, contact_id, contact_name, channel, channel_id, recipient,
    kind, step, address, locale, due_at, created_at)
  select gen_random_uuid(), w.tenant_id, w.alarm_id, w.contact_id, w.name, w.channel, w.channel_id, w.recipient,
    w.kind, w.step, w.address, w.locale, $1::timestamptz, clock_timestamp()
  from wanted w order by w.at, w.alarm_id
  on conflict (alarm_id, recipient, channel, kind, step) where kind in ('raised', 'cleared', 'repeated', 'escalated') do nothing`

/** The address of contact `c` for the way `ch.channel`; null: it cannot be reached like that. */
const ADDRESS = part`case ch.channel when 'email' then case when c.verified_at is not null then c.email end
    when 'wechat' then c.wechat_openid when 'push' then case when c.has_push then c.id::text end
    when 'applet' then (select ap.openid from applet_permissions ap where ap.contact_id = c.id order by ap.accepted_at desc limit 1)
    else case when c.phone_verified_at is not null then c.phone end end`

/**
 * Whether contact `c` gets messages about an alarm in a way: the contact takes it, and where it is one of an end user, the
 * device or the trigger belongs to that end user or to somebody below, the company offers the way to end users, and
 * no end user of the line is frozen or has expired.
 */
const reaches = (alarm: SqlPart, way: SqlPart, offered: SqlPart) => part`(c.ways is null or ${way} = any (c.ways))
      and (c.owner_id is null or (${way} = any (coalesce(${offered}, '{email,wechat,push,applet}'))
        and exists (select 1 from end_users cu where c.owner_id = any (cu.path) and cu.id = case when ${alarm}.device_id is null
          then (select ct.created_by from triggers ct where ct.id = ${alarm}.trigger_id)
          else (select cd.owner_id from devices cd where cd.id = ${alarm}.device_id) end)
        and not exists (select 1 from end_users co join end_users ca on ca.id = any (co.path) join logins cl on cl.id = ca.id
          where co.id = c.owner_id and (cl.state <> 'active' or ca.expires_at <= $1::timestamptz))))`

/**
 * An alarm's time is that of its row, a moment before it is judged: a contact, a channel or a policy that was there when
 * the trigger was made a moment ago must not miss its first alarm.
 */
const JUST = part`interval '2 seconds'`

const PLAN_RAISED = sql`with fresh as (
    select a.id, a.tenant_id, a.level, a.raised_at, a.trigger_id, a.device_id from alarms a
    where ($2::uuid[] is null or a.id = any ($2::uuid[])) and a.raised_at > $1::timestamptz - interval '1 day'
      and not a.suppressed and a.work <> 'ignored'),
  chosen as (
    select f.*, ch.channel, p.customer_ways, coalesce(tm.contact_ids, '{}') as contact_ids, coalesce(tm.group_ids, '{}') as group_ids
    from fresh f left join notification_policies p on p.tenant_id = f.tenant_id
      left join trigger_messages tm on tm.trigger_id = f.trigger_id
      cross join lateral jsonb_array_elements_text(case when p.tenant_id is null then '["email", "push", "applet"]'::jsonb
        else coalesce(p.levels -> f.level::text, '[]'::jsonb) end) as ch (channel)),
  wanted as (
    select ch.tenant_id, ch.id as alarm_id, c.id as contact_id, c.name, ch.channel, null::uuid as channel_id, c.id as recipient,
      'raised' as kind, 0 as step, ${ADDRESS} as address, c.locale, ch.raised_at as at
    from chosen ch join contacts c on c.tenant_id = ch.tenant_id and c.enabled and not c.escalation_only
      and ch.raised_at >= c.since - ${JUST}
    where ch.channel in ('email', 'sms', 'voice', 'wechat', 'push', 'applet') and ${ADDRESS} is not null
      and ${reaches(part`ch`, part`ch.channel`, part`ch.customer_ways`)}
      and case when ch.contact_ids = '{}' and ch.group_ids = '{}' then ch.level >= c.min_level
        else c.id = any (ch.contact_ids) or exists (select 1 from contact_group_members gm
          where gm.contact_id = c.id and gm.group_id = any (ch.group_ids)) end
    union all
    select ch.tenant_id, ch.id, null, n.name, n.kind, n.id, n.id, 'raised', 0, '', coalesce(n.config ->> 'locale', 'zh'), ch.raised_at
    from chosen ch join notification_channels n on n.tenant_id = ch.tenant_id and n.id::text = ch.channel and n.enabled
      and ch.raised_at >= n.created_at - ${JUST}
    union all
    select ch.tenant_id, ch.id, null, '', 'inbox', null, ch.tenant_id, 'raised', 0, '', 'zh', ch.raised_at
    from chosen ch join notification_policies p on p.tenant_id = ch.tenant_id and ch.raised_at >= p.changed_at - ${JUST}
    where ch.channel = 'inbox')
  ${PLANNED}`

const PLAN_CLEARED = sql`with wanted as (
    select distinct on (r.alarm_id, r.recipient, r.channel) r.tenant_id, r.alarm_id, r.contact_id, r.contact_name as name, r.channel,
      r.channel_id, r.recipient, 'cleared' as kind, 0 as step, r.address, r.locale, a.cleared_at as at
    from notification_records r join alarms a on a.id = r.alarm_id left join contacts c on c.id = r.contact_id
      left join notification_channels n on n.id = r.channel_id
      left join notification_policies p on p.tenant_id = r.tenant_id
    where ($2::uuid[] is null or a.id = any ($2::uuid[])) and r.kind in ('raised', 'escalated') and r.state <> 'cancelled'
      and not a.active and not a.suppressed and a.cleared_at > $1::timestamptz - interval '1 day' and coalesce(p.recovery, true)
      and case when r.contact_id is not null then c.enabled
          and ${reaches(part`a`, part`r.channel`, part`p.customer_ways`)} and case r.channel
          when 'email' then c.verified_at is not null and lower(c.email) = lower(r.address)
          when 'wechat' then c.wechat_openid = r.address
          when 'push' then c.has_push
          when 'applet' then c.has_applet
          else c.phone_verified_at is not null and c.phone = r.address end
        when r.channel_id is not null then n.enabled else r.channel = 'inbox' end
      and r.channel <> 'voice')
  ${PLANNED}`

const ESCALATED = sql`with wanted as (
    select distinct on (a.id, s.n, ch.channel, coalesce(c.id, n.id, a.tenant_id)) a.tenant_id, a.id as alarm_id, c.id as contact_id,
      coalesce(c.name, n.name, '') as name, coalesce(n.kind, ch.channel) as channel, n.id as channel_id,
      coalesce(c.id, n.id, a.tenant_id) as recipient, 'escalated' as kind, s.n::int as step,
      coalesce(${ADDRESS}, '') as address, coalesce(c.locale, n.config ->> 'locale', 'zh') as locale, a.raised_at as at
    from notification_policies p
      cross join lateral jsonb_array_elements(p.escalation) with ordinality as s (step, n)
      join alarms a on a.tenant_id = p.tenant_id and a.active and a.acknowledged_at is null and not a.suppressed
        and a.work = 'open' and (a.shelved_until is null or a.shelved_until <= $1::timestamptz)
        and a.level >= (s.step ->> 'minLevel')::int and a.raised_at >= p.changed_at
        and a.raised_at <= $1::timestamptz - make_interval(mins => (s.step ->> 'afterMinutes')::int)
        and a.raised_at > $1::timestamptz - interval '8 days'
      cross join lateral jsonb_array_elements_text(s.step -> 'channels') as ch (channel)
      left join contacts c on ch.channel in ('email', 'sms', 'voice', 'wechat', 'push', 'applet') and c.tenant_id = p.tenant_id and c.enabled
        and (s.step -> 'contactIds' ? c.id::text or exists (select 1 from contact_group_members gm
          where gm.contact_id = c.id and s.step -> 'groupIds' ? gm.group_id::text))
        and ${reaches(part`a`, part`ch.channel`, part`p.customer_ways`)}
      left join notification_channels n on n.tenant_id = p.tenant_id and n.id::text = ch.channel and n.enabled
    where n.id is not null or ch.channel = 'inbox' or ${ADDRESS} is not null)
  ${PLANNED}`

const REPEATED = sql`with wanted as (
    select r.tenant_id, r.alarm_id, r.contact_id, r.contact_name as name, r.channel, r.channel_id, r.recipient, 'repeated' as kind,
      floor(extract(epoch from $1::timestamptz - a.raised_at) / 60 / tm.repeat_minutes)::int as step, r.address, r.locale,
      a.raised_at as at
    from trigger_messages tm join alarms a on a.trigger_id = tm.trigger_id and a.active and a.acknowledged_at is null
        and not a.suppressed and a.work = 'open' and (a.shelved_until is null or a.shelved_until <= $1::timestamptz)
        and a.raised_at <= $1::timestamptz - make_interval(mins => tm.repeat_minutes)
      join notification_records r on r.alarm_id = a.id and r.kind = 'raised' and r.state <> 'cancelled'
      left join contacts c on c.id = r.contact_id left join notification_channels n on n.id = r.channel_id
      left join notification_policies p on p.tenant_id = r.tenant_id
    where tm.repeat_minutes is not null
      and (r.contact_id is null or ${reaches(part`a`, part`r.channel`, part`p.customer_ways`)}) and coalesce(c.enabled, n.enabled, r.channel = 'inbox'))
  ${PLANNED}`

const CANCEL = sql`update notification_records r set state = 'cancelled', reason = 'not_needed'
  from alarms a where a.id = r.alarm_id and r.state = 'pending' and r.kind in ('repeated', 'escalated')
    and (not a.active or a.acknowledged_at is not null or a.work <> 'open')`

/**
 * Plans the messages about alarms, one for each alarm and recipient, also when it is called several times.
 * @param alarmIds null: all of the last day
 */
export async function plan(scope: SystemScope, now: Date, alarmIds: readonly string[] | null): Promise<void> {
  await scope.run(PLAN_RAISED, [now, alarmIds])
  await scope.run(PLAN_CLEARED, [now, alarmIds])
}

/**
 * Plans escalations and repetitions for alarms that nobody acknowledged, and cancels planned messages that are no
 * longer needed.
 */
export async function planLater(scope: SystemScope, now: Date): Promise<void> {
  await scope.run(CANCEL)
  await scope.run(ESCALATED, [now])
  await scope.run(REPEATED, [now])
}
