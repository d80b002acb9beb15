import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const OTHER_WAYS = sql`insert into notification_records (id, tenant_id, alarm_id, contact_id, contact_name, channel, channel_id, recipient,
    kind, step, address, locale, due_at, created_at)
  select gen_random_uuid(), r.tenant_id, r.alarm_id, w.contact_id, w.name, w.channel, null, w.recipient, r.kind, r.step, w.address,
    r.locale, $2::timestamptz, clock_timestamp()
  from notification_records r join alarms a on a.id = r.alarm_id and a.level = 5
    left join contacts c on c.id = r.contact_id and c.enabled and c.verified_at is not null and c.email is not null
      and (c.ways is null or 'email' = any (c.ways))
      and (c.owner_id is null or coalesce((select 'email' = any (p.customer_ways) from notification_policies p
        where p.tenant_id = r.tenant_id), true))
    cross join lateral (
      select c.id as contact_id, c.name, 'email' as channel, c.id as recipient, c.email as address where c.id is not null
      union all select null::uuid, '', 'inbox', r.tenant_id, '') w
  where r.id = any ($1::uuid[]) and r.kind in ('raised', 'repeated', 'escalated')
  on conflict (alarm_id, recipient, channel, kind, step) where kind in ('raised', 'cleared', 'repeated', 'escalated') do nothing`

/**
 * An alarm of level 5 whose text could not go out because no units are left goes to the inbox of the company and to the
 * verified email of the contact, once each. Other levels are left as they are.
 * @param ids records of the texts
 */
export async function sendOtherWays(scope: SystemScope, ids: readonly string[], now: Date): Promise<void> {
  await scope.run(OTHER_WAYS, [ids, now])
}
