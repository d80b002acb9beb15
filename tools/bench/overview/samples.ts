import type { Site } from '../core/site.ts'

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** What the sampler would have left of the days before: a sample of every cell for each step, and who sent most. */
export async function addSamples(
  site: Site,
  tenantId: string,
  hours: { days: number; short: number },
): Promise<number> {
  await site.sql(
    `insert into fleet_cells (tenant_id, product_id, group_id, created_by)
     select distinct tenant_id, product_id, coalesce(group_id, '${NOBODY}'), coalesce(created_by, '${NOBODY}')
     from devices where tenant_id = $1 and recycled_at is null on conflict do nothing`,
    [tenantId],
  )
  await site.sql('delete from fleet_samples where tenant_id = $1', [tenantId])
  for (const [step, span] of [
    [3_600, hours.days],
    [300, hours.short],
  ] as const)
    await site.sql(
      `with cells as (
         select c.num as cell, count(*)::int as devices from devices d join fleet_cells c on c.tenant_id = d.tenant_id
           and c.product_id = d.product_id and c.group_id = coalesce(d.group_id, '${NOBODY}')
           and c.created_by = coalesce(d.created_by, '${NOBODY}')
         where d.tenant_id = $1 group by c.num),
       steps as (
         select to_timestamp((extract(epoch from now())::bigint / $2) * $2 - i * $2) as at
         from generate_series(1, $3::int * 86400 / $2) i)
       insert into fleet_samples (tenant_id, cell, step, at, devices, online, messages, created, lost, commands_ok, commands_failed)
       select $1, coalesce(cell, 0), $2, at, sum(devices), sum(devices / 2), sum(devices * $2 / 60), count(*) / 100, 0, count(*) / 10, 0
       from cells, steps group by grouping sets ((cell, at), (at))
       on conflict do nothing`,
      [tenantId, step, span],
    )
  await site.sql(
    `insert into fleet_talkers (tenant_id, cell, hour, device, messages)
     select $1, t.cell, to_timestamp((extract(epoch from now())::bigint / 3600 - i) * 3600), t.num, 60 + t.num % 7
     from (select c.num as cell, d.num, row_number() over (partition by c.num order by d.num) as place
       from devices d join fleet_cells c on c.tenant_id = d.tenant_id and c.product_id = d.product_id
         and c.group_id = coalesce(d.group_id, '${NOBODY}') and c.created_by = coalesce(d.created_by, '${NOBODY}')
       where d.tenant_id = $1
       union all (select 0, num, 1 from devices where tenant_id = $1 order by num limit 20)) t,
     generate_series(0, 191) i where t.place <= 5 on conflict do nothing`,
    [tenantId],
  )
  await site.sql('vacuum (analyze) fleet_cells, fleet_samples, fleet_talkers')
  const [rows] = await site.sql<{ count: number }>(
    'select count(*)::int as count from fleet_samples where tenant_id = $1',
    [tenantId],
  )
  return rows!.count
}
