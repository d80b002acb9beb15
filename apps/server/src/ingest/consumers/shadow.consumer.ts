import { runOn, sql } from '../../lib/sql/statement.ts'
import type { JournalRow } from '../lanes.port.ts'
import { holdsProperties } from '../uplink.ts'
import { type Consumer, rowsConsumer } from './consumer.ts'

const SELECT_SHADOW_DESIRED = sql<{
  device: number
}>`select device from shadow_desired where device = any($1::int[]) and desired <> '{}'`.named('shadow-waiting')

const UPDATE_SHADOW_DESIRED = sql`update shadow_desired s set desired = coalesce((
      select jsonb_object_agg(d.key, d.value) from jsonb_each(s.desired) d where not (r.values ? d.key and r.values -> d.key = d.value)
    ), '{}'), version = s.version + 1, updated_at = now()
  from unnest($1::int[], $2::jsonb[]) as r (device, values)
  where s.device = r.device and exists (select 1 from jsonb_each(s.desired) d where r.values ? d.key and r.values -> d.key = d.value)`.named(
  'shadow-reached',
)

/** Wanted values that a device has reached are no longer wanted. */
export function createShadowConsumer(): Consumer {
  return rowsConsumer({
    name: 'shadow',
    everyMs: 500,
    wants: row => holdsProperties(row.kind) && !row.late,
    async handle(client, _lane, rows) {
      const devices = [...new Set(rows.map(row => row.device))]
      // Few devices have a wish that is not fulfilled; only their values are decoded.
      const waiting = await runOn(client, SELECT_SHADOW_DESIRED, [devices])
      if (waiting.rows.length === 0) return undefined
      const reported = reportedBy(rows, new Set(waiting.rows.map(row => row.device)))
      await runOn(client, UPDATE_SHADOW_DESIRED, [
        [...reported.keys()],
        [...reported.values()].map(values => JSON.stringify(values)),
      ])
      return undefined
    },
  })
}

/** The last values of each device among the rows. */
function reportedBy(rows: readonly JournalRow[], devices: ReadonlySet<number>): Map<number, Record<string, unknown>> {
  const reported = new Map<number, Record<string, unknown>>()
  for (const row of rows)
    if (devices.has(row.device))
      reported.set(row.device, {
        ...reported.get(row.device),
        ...(JSON.parse(row.values ?? '{}') as Record<string, unknown>),
      })
  return reported
}
