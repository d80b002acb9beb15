import type { SystemScope } from '../../../lib/database/database.ts'
import { part, sql } from '../../../lib/sql/statement.ts'

type Scope = Pick<SystemScope, 'run'>

const DAY_MS = 86_400_000
/** Short steps are kept for four days (KEPT_DAYS of the statistics), hours for the whole week. */
const SHORT_DAYS = 4
const WEEK_DAYS = 7

const ADD_CELLS = sql`insert into fleet_cells (tenant_id, product_id, group_id, created_by)
  select distinct d.tenant_id, d.product_id,
    coalesce(d.group_id, '00000000-0000-0000-0000-000000000000'), coalesce(d.created_by, '00000000-0000-0000-0000-000000000000')
  from devices d where d.tenant_id = $1 and d.recycled_at is null
  on conflict do nothing`

/**
 * Steps of five minutes of every cell, told apart by a hash so that a week has its ups and downs, and their sums for the
 * company (cell 0) and for each hour. The simulated devices send about 39 messages in five minutes.
 */
const ADD_WEEK = sql`with cells as (
    select c.num as cell, count(*)::int as devices
    from devices d join fleet_cells c on c.tenant_id = d.tenant_id and c.product_id = d.product_id
      and c.group_id = coalesce(d.group_id, '00000000-0000-0000-0000-000000000000')
      and c.created_by = coalesce(d.created_by, '00000000-0000-0000-0000-000000000000')
    where d.tenant_id = $1 and d.recycled_at is null group by c.num
  ), noisy as (
    select cell, devices, at, abs(hashtext(cell::text || at::text)) as noise,
      abs(hashtext(cell::text || date_trunc('hour', at)::text)) as noise_of_hour
    from cells cross join generate_series($2::timestamptz, $3::timestamptz - interval '5 minutes', interval '5 minutes') as at
  ), told as (
    select cell, devices, at, noise, devices - (noise_of_hour % 29 = 0 and at < date_trunc('hour', $3::timestamptz))::int as online
    from noisy
  ), short as (
    select cell, at, devices, online, online * (37 + noise % 5) as messages,
      (noise % 61 = 0)::int as commands_ok, (noise % 1999 = 0)::int as commands_failed
    from told
  ), every as (
    select cell, at, devices, online, messages, commands_ok, commands_failed from short
    union all
    select 0, at, sum(devices), sum(online), sum(messages), sum(commands_ok), sum(commands_failed) from short group by at
  )
  insert into fleet_samples (tenant_id, cell, step, at, devices, online, messages, commands_ok, commands_failed, taken_at)
  select $1, cell, 300, at, devices, online, messages, commands_ok, commands_failed, at from every where at >= $4
  union all
  select $1, cell, 3600, date_trunc('hour', at), max(devices), min(online), sum(messages), sum(commands_ok), sum(commands_failed), max(at)
  from every group by cell, date_trunc('hour', at)
  on conflict do nothing`

/** What the devices count of the hour that is not over: samples of it are differences to this count. */
const ADD_HOUR = sql`insert into device_stats (device, hour, messages)
  select d.num, extract(epoch from $2::timestamptz)::int / 3600, sum(37 + abs(hashtext(c.num::text || at::text)) % 5)
  from devices d join fleet_cells c on c.tenant_id = d.tenant_id and c.product_id = d.product_id
    and c.group_id = coalesce(d.group_id, '00000000-0000-0000-0000-000000000000')
    and c.created_by = coalesce(d.created_by, '00000000-0000-0000-0000-000000000000')
  cross join generate_series(date_trunc('hour', $2::timestamptz), $2::timestamptz - interval '5 minutes', interval '5 minutes') as at
  where d.tenant_id = $1 and d.recycled_at is null group by d.num
  on conflict do nothing`

/**
 * The overview of the demo for the week before its first start, like the one that its devices go on with: without it the
 * charts of a fresh installation are empty.
 * @param now epoch ms
 */
export async function seedFleetWeek(scope: Scope, tenantId: string, now: number): Promise<void> {
  const hour = 3_600_000
  const from = now - (now % hour) - WEEK_DAYS * DAY_MS
  const until = now - (now % 300_000)
  await scope.run(ADD_CELLS, [tenantId])
  await scope.run(ADD_WEEK, [tenantId, new Date(from), new Date(until), new Date(now - SHORT_DAYS * DAY_MS)])
  await scope.run(ADD_HOUR, [tenantId, new Date(until)])
}

const HOLD_FLEET = sql`select pg_advisory_xact_lock(7310, hashtext($1))`

/** Messages of a device in the hour of the beginning, before it: what the samples of its cell say. */
const BEFORE = part`select c.num as cell, c.product_id, c.group_id, c.created_by, sum(f.messages)::numeric as messages, max(f.devices) as devices
    from fleet_cells c join fleet_samples f on f.tenant_id = c.tenant_id and f.cell = c.num and f.step = 300
      and f.at >= date_trunc('hour', $2::timestamptz) and f.at + interval '5 minutes' <= $2
    where c.tenant_id = $1 group by c.num`

/** What is left of a device's messages without its past is spread over the hours in which the past was written. */
const TAKE_PAST_FROM_DEVICES = sql`with before as (${BEFORE}), counted as (
    select s.device, sum(s.messages) - $4::int as live, coalesce(max(round(b.messages / b.devices)), 0) as earlier
    from device_stats s join devices d on d.num = s.device
    left join before b on b.product_id = d.product_id
      and b.group_id = coalesce(d.group_id, '00000000-0000-0000-0000-000000000000')
      and b.created_by = coalesce(d.created_by, '00000000-0000-0000-0000-000000000000')
    where d.tenant_id = $1 and s.hour >= extract(epoch from $2::timestamptz)::int / 3600
    group by s.device having sum(s.messages) >= $4::int
  )
  update device_stats s set messages =
    case when s.hour = extract(epoch from $2::timestamptz)::int / 3600 then c.earlier else 0 end
    + round(greatest(0, c.live - c.earlier)
      * greatest(0, extract(epoch from least($3::timestamptz, to_timestamp((s.hour + 1) * 3600)) - greatest($2::timestamptz, to_timestamp(s.hour * 3600))))
      / extract(epoch from $3::timestamptz - $2::timestamptz))
  from counted c where s.device = c.device and s.hour >= extract(epoch from $2::timestamptz)::int / 3600`

const TAKE_PAST_FROM_SAMPLES = sql`with live as (
    select coalesce(c.num, 0) as cell, s.hour, sum(s.messages) as messages
    from device_stats s join devices d on d.num = s.device
    join fleet_cells c on c.tenant_id = d.tenant_id and c.product_id = d.product_id
      and c.group_id = coalesce(d.group_id, '00000000-0000-0000-0000-000000000000')
      and c.created_by = coalesce(d.created_by, '00000000-0000-0000-0000-000000000000')
    where d.tenant_id = $1 and s.hour >= extract(epoch from $2::timestamptz)::int / 3600
    group by grouping sets ((s.hour), (s.hour, c.num))
  ), earlier as (
    select cell, sum(messages) as messages from fleet_samples
    where tenant_id = $1 and step = 300 and at >= date_trunc('hour', $2::timestamptz) and at + interval '5 minutes' <= $2
    group by cell
  )
  update fleet_samples f set messages = case f.step when 3600 then l.messages else
    round((l.messages - case when l.hour = extract(epoch from $2::timestamptz)::int / 3600
        then coalesce((select e.messages from earlier e where e.cell = l.cell), 0) else 0 end)
      * greatest(0, extract(epoch from least($3::timestamptz, f.at + interval '5 minutes') - greatest($2::timestamptz, f.at)))
      / extract(epoch from least($3::timestamptz, to_timestamp((l.hour + 1) * 3600)) - greatest($2::timestamptz, to_timestamp(l.hour * 3600)))) end
  from live l where f.tenant_id = $1 and f.cell = l.cell and extract(epoch from f.at)::int / 3600 = l.hour
    and (f.step = 3600 or f.at + interval '5 minutes' > $2)`

/**
 * Takes the past that the simulated devices wrote when they first came out of the counts of today: it would stand in every
 * chart as one spike of 300,000 messages.
 * @param span when it was written, epoch ms
 * @param perDevice messages of the past of each device; a device that sent fewer since then is left as it is
 */
export async function takePastOut(
  scope: Scope,
  tenantId: string,
  span: { since: number; until: number },
  perDevice: number,
): Promise<void> {
  const [since, until] = [new Date(span.since), new Date(span.until)]
  await scope.run(HOLD_FLEET, [tenantId])
  await scope.run(TAKE_PAST_FROM_DEVICES, [tenantId, since, until, perDevice])
  await scope.run(TAKE_PAST_FROM_SAMPLES, [tenantId, since, until])
}
