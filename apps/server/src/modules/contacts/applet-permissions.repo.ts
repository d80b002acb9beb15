import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

// How many subscribe messages of a mini-program its people still allow: WeChat sends one for each permission.

const CONTACT_OF = sql<{
  contactId: string
}>`select contact_id as "contactId" from applet_permissions where login_id = $1
  union all select contact_id from push_devices where login_id = $1 limit 1`

/** The contact that a person's permissions, or else browsers, belong to. */
export async function contactOf(scope: TenantScope, loginId: string): Promise<string | undefined> {
  return (await scope.run(CONTACT_OF, [loginId])).rows[0]?.contactId
}

const OTHERS = sql`delete from applet_permissions where contact_id = $1 and (app_id, openid) <> ($2, $3)`

const GIVE = sql`insert into applet_permissions (contact_id, template_id, tenant_id, login_id, app_id, openid, remaining, accepted_at)
  select $1, t.id, $2, $3, $4, $5, 1, $7 from unnest($6::text[]) t (id)
  on conflict (contact_id, template_id) do update set remaining = least(applet_permissions.remaining + 1, 10000),
    accepted_at = excluded.accepted_at, login_id = excluded.login_id`

/** One more message of each template. Permissions of another WeChat user or mini-program are worth nothing any more. */
export async function give(
  scope: TenantScope,
  p: { contactId: string; loginId: string; appId: string; openid: string; templateIds: readonly string[]; at: Date },
): Promise<void> {
  await scope.run(OTHERS, [p.contactId, p.appId, p.openid])
  await scope.run(GIVE, [p.contactId, scope.tenantId, p.loginId, p.appId, p.openid, p.templateIds, p.at])
}

const REACHED = sql`update contacts set has_applet = true, since = case when has_applet then since else now() end where id = $1`

export async function noteReached(scope: TenantScope, contactId: string): Promise<void> {
  await scope.run(REACHED, [contactId])
}

const FORGET = sql<{
  contactId: string
}>`delete from applet_permissions where login_id = $1 returning contact_id as "contactId"`
const DROP_EMPTY = sql`delete from contacts c where c.id = any ($1::uuid[]) and c.email is null and c.phone is null
  and c.wechat_openid is null and not c.has_push and not exists (select 1 from applet_permissions a where a.contact_id = c.id)`
const UNREACHED = sql`update contacts c set has_applet = false where c.id = any ($1::uuid[]) and c.has_applet
  and not exists (select 1 from applet_permissions a where a.contact_id = c.id)`

/** A person is no WeChat user here any more; a contact without another address is removed. */
export async function forget(scope: TenantScope, loginId: string): Promise<void> {
  const ids = (await scope.run(FORGET, [loginId])).rows.map(row => row.contactId)
  await scope.run(DROP_EMPTY, [ids])
  await scope.run(UNREACHED, [ids])
}

export interface TemplatePermission {
  id: string
  remaining: number
}

const OFFERED = sql<TemplatePermission>`with offered as (
    select code as id, min(case when event = 'raised' then 1 else 3 end) as place from notification_templates
      where channel = 'applet' and code <> '' and locale = $2 and approval in ('none', 'approved') group by code
    union all
    select p.templates -> 'applet' ->> 'code', 2 from trigger_presets p
      where p.templates -> 'applet' ->> 'code' <> '' and exists (select 1 from triggers t where t.preset_id = p.id))
  select o.id, coalesce(max(a.remaining), 0) as remaining from offered o
    left join applet_permissions a on a.template_id = o.id and a.login_id = $1
  group by o.id order by coalesce(max(a.remaining), 0), min(o.place), o.id limit $3`

/** Templates for which a person may be asked, first those of which fewest messages are left. */
export async function offered(
  scope: TenantScope,
  loginId: string,
  locale: 'zh' | 'en',
  limit: number,
): Promise<TemplatePermission[]> {
  return (await scope.run(OFFERED, [loginId, locale, limit])).rows
}

export interface TakenPermission {
  contactId: string
  appId: string
}

const TAKE = sql<TakenPermission>`update applet_permissions set remaining = remaining - 1
  where tenant_id = $1 and openid = $2 and template_id = $3 and remaining > 0
    and contact_id = (select contact_id from applet_permissions where tenant_id = $1 and openid = $2 and template_id = $3
      and remaining > 0 limit 1)
  returning contact_id as "contactId", app_id as "appId"`

/** Uses one permission. @returns whose, and of which mini-program; undefined: none is left */
export async function take(
  scope: SystemScope,
  tenantId: string,
  openid: string,
  templateId: string,
): Promise<TakenPermission | undefined> {
  return (await scope.run(TAKE, [tenantId, openid, templateId])).rows[0]
}

const AFTERWARDS = sql`update applet_permissions set sent = sent + $3,
    remaining = case when $4::boolean then 0 else remaining + 1 - $3 end
  where contact_id = $1 and template_id = $2`

/** What became of a permission that was taken: used, kept because nothing was sent, or worth nothing at WeChat. */
export async function noteOutcome(
  scope: SystemScope,
  contactId: string,
  templateId: string,
  outcome: 'used' | 'kept' | 'refused',
): Promise<void> {
  await scope.run(AFTERWARDS, [contactId, templateId, outcome === 'used' ? 1 : 0, outcome === 'refused'])
}

const NEXT_WAY = sql`insert into notification_records (id, tenant_id, alarm_id, contact_id, contact_name, channel, channel_id, recipient,
    kind, step, address, locale, due_at, created_at)
  select gen_random_uuid(), r.tenant_id, r.alarm_id, c.id, c.name, w.channel, null, c.id, r.kind, r.step, w.address, r.locale,
    $2::timestamptz, clock_timestamp()
  from notification_records r join contacts c on c.id = r.contact_id and c.enabled
    left join notification_policies p on p.tenant_id = r.tenant_id
    cross join lateral (select x.channel, x.address from (values (1, 'push', case when c.has_push then c.id::text end),
        (2, 'wechat', c.wechat_openid), (3, 'email', case when c.verified_at is not null then c.email end)) x (place, channel, address)
      where x.address is not null and (c.ways is null or x.channel = any (c.ways))
        and (c.owner_id is null or x.channel = any (coalesce(p.customer_ways, '{email,wechat,push,applet}')))
      order by x.place limit 1) w
  where r.id = any ($1::uuid[]) and r.kind in ('raised', 'cleared', 'repeated', 'escalated')
    and not exists (select 1 from notification_records o where o.alarm_id = r.alarm_id and o.recipient = r.recipient
      and o.kind = r.kind and o.step = r.step and o.id <> r.id and o.state in ('pending', 'sending', 'sent'))
  on conflict (alarm_id, recipient, channel, kind, step) where kind in ('raised', 'cleared', 'repeated', 'escalated') do nothing`

/**
 * Messages for which no permission is left go to their contact by the first other way that costs nothing, unless another
 * way carries them already.
 * @param ids records of the subscribe messages
 */
export async function sendNextWay(scope: SystemScope, ids: readonly string[], now: Date): Promise<void> {
  await scope.run(NEXT_WAY, [ids, now])
}
