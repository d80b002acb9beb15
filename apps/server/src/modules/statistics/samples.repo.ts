import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import { KEPT_DAYS, LONG_STEP, LOST_AFTER_MS, SHORT_STEP } from './fleet-cells.ts'

/** Devices named for an hour, of the whole company and of each cell. */
const TALKERS_OF_ALL = 20
const TALKERS_OF_CELL = 5

type Scope = Pick<SystemScope, 'run'>

const COMPANIES = sql<{ tenant_id: string }>`select tenant_id from tenant_usage where kind = 'devices' and used > 0
  union select tenant_id from fleet_samples where step = ${LONG_STEP} and at > now() - interval '1 hour'
  order by tenant_id`

/** Companies that have devices, or had some an hour ago. */
export async function companiesWithDevices(scope: Scope): Promise<string[]> {
  return (await scope.run(COMPANIES)).rows.map(row => row.tenant_id)
}

const FLEET_SIZE = sql<{
  used: number
}>`select used::int as used from tenant_usage where tenant_id = $1 and kind = 'devices'`

/** Devices of a company, as its quota counts them. */
export async function fleetSize(scope: Scope, tenantId: string): Promise<number> {
  return (await scope.run(FLEET_SIZE, [tenantId])).rows[0]?.used ?? 0
}

const LOCK = 7310
const TRY_LOCK = sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${LOCK}, hashtext($1)) as held`

/** False while another process takes the sample of this company. */
export async function holdCompany(scope: Scope, tenantId: string): Promise<boolean> {
  return (await scope.run(TRY_LOCK, [tenantId])).rows[0]!.held
}

const ADD_CELLS = sql`insert into fleet_cells (tenant_id, product_id, group_id, created_by)
  select distinct d.tenant_id, d.product_id,
    coalesce(d.group_id, '00000000-0000-0000-0000-000000000000'), coalesce(d.created_by, '00000000-0000-0000-0000-000000000000')
  from devices d where d.tenant_id = $1 and d.recycled_at is null
  on conflict do nothing`

/** Cells for devices that stand where none stood before. */
export async function addCells(scope: Scope, tenantId: string): Promise<void> {
  await scope.run(ADD_CELLS, [tenantId])
}

export interface SampleSpan {
  tenantId: string
  /** Beginning of the short step, epoch ms. */
  step: number
  /** Beginning of its hour. */
  hour: number
  /** Whether the counts of devices are of now; an hour that ended gets what was counted late, and keeps its levels. */
  current: boolean
}

const FORGET_TALKERS = sql`delete from fleet_talkers where tenant_id = $1 and hour = $2`

/**
 * One look at every device: what it sent in the hour comes from its own count of that hour, a message of the short step
 * is what earlier steps of the hour do not have. So a sample that is taken again says the same, and none is counted twice.
 */
const SAMPLE = sql`with seen as materialized (
    select c.num as cell, d.num as device, p.link, p.last_seen_at, d.created_at,
      coalesce(s.messages, 0) as messages, coalesce(s.refused, 0) as refused
    from devices d
    join fleet_cells c on c.tenant_id = d.tenant_id and c.product_id = d.product_id
      and c.group_id = coalesce(d.group_id, '00000000-0000-0000-0000-000000000000')
      and c.created_by = coalesce(d.created_by, '00000000-0000-0000-0000-000000000000')
    left join device_presence p on p.device = d.num
    left join device_stats s on s.device = d.num and s.hour = extract(epoch from $3::timestamptz)::int / 3600
    where d.tenant_id = $1 and d.recycled_at is null
  ), counted as (
    select coalesce(cell, 0) as cell, count(*)::int as devices,
      (count(*) filter (where link = 'online'))::int as online, sum(messages) as messages, sum(refused) as refused,
      (count(*) filter (where created_at >= $2 and created_at < $2::timestamptz + interval '300 s'))::int as created_short,
      (count(*) filter (where created_at >= $3 and created_at < $3::timestamptz + interval '1 hour'))::int as created_long,
      (count(*) filter (where link = 'offline' and last_seen_at >= $2::timestamptz - $5::interval
        and last_seen_at < $2::timestamptz + interval '300 s' - $5::interval))::int as lost_short,
      (count(*) filter (where link = 'offline' and last_seen_at >= $3::timestamptz - $5::interval
        and last_seen_at < $3::timestamptz + interval '1 hour' - $5::interval))::int as lost_long
    from seen group by grouping sets ((), (cell))
  ), ended as (
    select coalesce(s.cell, 0) as cell,
      count(*) filter (where m.state = 'succeeded' and m.finished_at >= $2 and m.finished_at < $2::timestamptz + interval '300 s') as ok_short,
      count(*) filter (where m.state = 'succeeded') as ok_long,
      count(*) filter (where m.state <> 'succeeded' and m.finished_at >= $2 and m.finished_at < $2::timestamptz + interval '300 s') as failed_short,
      count(*) filter (where m.state <> 'succeeded') as failed_long
    from commands m join seen s on s.device = m.device
    where m.tenant_id = $1 and m.finished_at >= $3 and m.finished_at < $3::timestamptz + interval '1 hour'
      and m.state in ('succeeded', 'rejected', 'timed_out', 'expired', 'failed')
    group by grouping sets ((), (s.cell))
  ), earlier as (
    select cell, sum(messages) as messages, sum(refused) as refused from fleet_samples
    where tenant_id = $1 and step = ${SHORT_STEP} and at >= $3 and at < $3::timestamptz + interval '1 hour' and at <> $2
    group by cell
  ), talking as (
    insert into fleet_talkers (tenant_id, cell, hour, device, messages)
    select $1, t.cell, $3, t.device, t.messages from (
      select cell, device, messages, row_number() over (partition by cell order by messages desc, device) as place from seen where messages > 0
      union all
      select 0, device, messages, row_number() over (order by messages desc, device) from seen where messages > 0
    ) t where t.place <= case t.cell when 0 then ${TALKERS_OF_ALL} else ${TALKERS_OF_CELL} end
    on conflict (tenant_id, cell, hour, device) do update set messages = excluded.messages
  )
  insert into fleet_samples (tenant_id, cell, step, at, devices, online, messages, refused, created, lost, commands_ok, commands_failed, taken_at)
  select $1, c.cell, ${SHORT_STEP}, $2, c.devices, c.online,
    coalesce(c.messages, 0) - coalesce(e.messages, 0), coalesce(c.refused, 0) - coalesce(e.refused, 0), c.created_short, c.lost_short,
    coalesce(m.ok_short, 0), coalesce(m.failed_short, 0), now()
  from counted c left join earlier e on e.cell = c.cell left join ended m on m.cell = c.cell
  where $4 or exists (select 1 from fleet_samples f where f.tenant_id = $1 and f.step = ${SHORT_STEP} and f.cell = c.cell and f.at = $2)
  union all
  select $1, c.cell, ${LONG_STEP}, $3, c.devices, c.online,
    coalesce(c.messages, 0), coalesce(c.refused, 0), c.created_long, c.lost_long,
    coalesce(m.ok_long, 0), coalesce(m.failed_long, 0), now()
  from counted c left join ended m on m.cell = c.cell
  where $4 or exists (select 1 from fleet_samples f where f.tenant_id = $1 and f.step = ${LONG_STEP} and f.cell = c.cell and f.at = $3)
  on conflict (tenant_id, step, cell, at) do update set
    devices = case when $4 then excluded.devices else fleet_samples.devices end,
    online = case when $4 then excluded.online else fleet_samples.online end,
    messages = excluded.messages, refused = excluded.refused, created = excluded.created, lost = excluded.lost,
    commands_ok = excluded.commands_ok, commands_failed = excluded.commands_failed,
    taken_at = case when $4 then excluded.taken_at else fleet_samples.taken_at end`

/** Takes the sample of one company: for the short step, for its hour, and who sent most. */
export async function takeSample(scope: Scope, { tenantId, step, hour, current }: SampleSpan): Promise<void> {
  await scope.run(FORGET_TALKERS, [tenantId, new Date(hour)])
  await scope.run(SAMPLE, [tenantId, new Date(step), new Date(hour), current, `${LOST_AFTER_MS / 1000} s`])
}

const FORGET_SAMPLES = sql`delete from fleet_samples
  where (step = ${SHORT_STEP} and at < $1::timestamptz - interval '${KEPT_DAYS.short} days')
    or (step = ${LONG_STEP} and at < $1::timestamptz - interval '${KEPT_DAYS.long} days')`
const FORGET_OLD_TALKERS = sql`delete from fleet_talkers where hour < $1::timestamptz - interval '${KEPT_DAYS.talkers} days'`
/** Deletes cells that have neither devices nor samples. */
const FORGET_CELLS = sql`delete from fleet_cells c
  where not exists (select 1 from fleet_samples s where s.tenant_id = c.tenant_id and s.step = ${LONG_STEP} and s.cell = c.num)
    and not exists (select 1 from devices d where d.tenant_id = c.tenant_id and d.product_id = c.product_id and d.recycled_at is null)`

/** Deletes samples, talkers and cells that are older than their retention. */
export async function forgetOld(scope: Scope, now: number): Promise<void> {
  await scope.run(FORGET_SAMPLES, [new Date(now)])
  await scope.run(FORGET_OLD_TALKERS, [new Date(now)])
  await scope.run(FORGET_CELLS)
}
