import { runOn, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { Reader } from './telemetry.snapshot.ts'

export interface Day {
  /** YYYY-MM-DD */
  day: string
  starts: Date
  ends: Date
}

export interface Change {
  at: Date
  kind: 'online' | 'offline'
  reason: string | null
}

/** Changes of one device in a window, at most. */
const MOST = 50_000

const DAYS_OF = sql<
  Day & { zone: string }
>`select t.time_zone as zone, to_char(d, 'YYYY-MM-DD') as day, d at time zone t.time_zone as starts,
    (d + interval '1 day') at time zone t.time_zone as ends
  from tenants t, generate_series(
    date_trunc('day', $2::timestamptz at time zone t.time_zone) - make_interval(days => $3::int - 1),
    date_trunc('day', $2::timestamptz at time zone t.time_zone), interval '1 day') d
  where t.id = $1 order by d`

/** The last days in the company's zone, oldest first; the last one is today. */
export async function daysOf(
  reader: Reader,
  device: AuthorisedDevice,
  days: number,
  now: Date,
): Promise<{ timeZone: string; items: Day[] }> {
  const { rows } = await runOn(reader, DAYS_OF, [device.tenantId, now, days])
  return { timeZone: rows[0]!.zone, items: rows.map(({ day, starts, ends }) => ({ day, starts, ends })) }
}

const CHANGES_SINCE = sql<Change>`select at, kind, reason from (
    (select at, seq, kind, reason from device_connections where device = $1 and at < $2 order by at desc, seq desc limit 1)
    union all
    (select at, seq, kind, reason from device_connections where device = $1 and at >= $2 order by at desc, seq desc limit ${MOST})
  ) c order by at, seq`

/** Comings and goings since a time, oldest first, with the one before it. */
export async function changesSince(reader: Reader, device: AuthorisedDevice, since: Date): Promise<Change[]> {
  const { rows } = await runOn(reader, CHANGES_SINCE, [device.num, since])
  return rows
}
