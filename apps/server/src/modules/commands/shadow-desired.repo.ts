import { type Connection, runOn, sql } from '../../lib/sql/statement.ts'

const WAITING = sql<{
  device: number
}>`select device from shadow_desired where device = any($1::int[]) and desired <> '{}'`.named('shadow-waiting')

const REACHED = sql`update shadow_desired s set desired = coalesce((
      select jsonb_object_agg(d.key, d.value) from jsonb_each(s.desired) d where not (r.values ? d.key and r.values -> d.key = d.value)
    ), '{}'), version = s.version + 1, updated_at = now()
  from unnest($1::int[], $2::jsonb[]) as r (device, values)
  where s.device = r.device and exists (select 1 from jsonb_each(s.desired) d where r.values ? d.key and r.values -> d.key = d.value)`.named(
  'shadow-reached',
)

/** Which of the devices have wanted values that they have not reached. */
export async function devicesWithWishes(db: Connection, devices: readonly number[]): Promise<number[]> {
  return (await runOn(db, WAITING, [devices])).rows.map(({ device }) => device)
}

/** Wanted values that devices report are no longer wanted. */
export async function fulfilWishes(
  db: Connection,
  reported: ReadonlyMap<number, Readonly<Record<string, unknown>>>,
): Promise<void> {
  await runOn(db, REACHED, [[...reported.keys()], [...reported.values()].map(values => JSON.stringify(values))])
}
