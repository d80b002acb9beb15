import { until } from '../core/bench.ts'
import type { Meter, Site } from '../core/site.ts'
import { bulkLoad } from '../history/bulk-load.ts'

const HOUR_MS = 3_600_000
const LANES = 2
/** A device sends once a minute. */
const AN_HOUR = 60
/** So many values of a lane are sealed at once: a start may find nearly as many that are not. */
const UNSEALED_VALUES = 480_000
const VALUES = 3
const SEALED_WAIT_MS = 120_000

/** What lies in the folder. */
export interface Filled {
  messages: number
  /** Of them, not sealed yet. */
  unsealed: number
  sealedSegments: number
  seconds: number
}

/**
 * Fills an installation with what its devices would have left behind in the hours before now: messages, sealed history,
 * counts, and consumers that have read everything but what is not sealed yet. Rows are multiplied from those of a device
 * that really sent, so they read as any other. The server must be killed and started afterwards: its lanes do not know
 * of the rows yet.
 */
export async function fillFolder(site: Site, meters: readonly Meter[], messages: number): Promise<Filled> {
  const began = performance.now()
  await sealSomething(site, meters[0]!)
  const [template] = await site.sql<{ values: string }>('select values::text from journal where kind = 1 limit 1')
  const lanes = await site.lanes()
  const thisHour = Math.floor(Date.now() / HOUR_MS)
  const recent = Math.min(Math.floor(messages / 10), Math.floor((UNSEALED_VALUES / VALUES) * LANES))
  const hours = Math.max(1, Math.round((messages - recent) / (meters.length * AN_HOUR)))
  // Time never runs backwards in a lane: what the template's device sent goes.
  await site.sql('delete from journal')
  await site.sql(`create table fill_devices as
    select num, lane, k, count(*) over (partition by lane) as n from (
      select num, num % ${LANES} as lane, row_number() over (partition by num % ${LANES} order by num) - 1 as k from devices) d`)
  await site.sql('analyze fill_devices')
  const [{ n } = { n: 0 }] = await site.sql<{ n: number }>('select max(n)::int as n from fill_devices')
  const first = Math.max(...lanes) + 1
  const oldest = thisHour - hours
  const queue = Array.from({ length: hours }, (_, i) => i)
  const worker = async () => {
    for (let i = queue.shift(); i !== undefined; i = queue.shift())
      await fillHour(site, oldest + i, first + i * AN_HOUR * n, template!.values)
  }
  await Promise.all([worker(), worker()])
  const sealedUpTo = first + hours * AN_HOUR * n - 1
  const rounds = Math.max(1, Math.round(recent / meters.length))
  await fillRecent(site, sealedUpTo + 1, rounds, template!.values)
  await moveCursors(site, sealedUpTo, first + (hours * AN_HOUR + rounds) * n - 1, oldest + hours)
  await fillHistory(site, meters[0]!.num, oldest, hours)
  await site.sql('drop table fill_devices')
  await site.sql('vacuum analyze')
  await site.sql('checkpoint')
  const [sum] = await site.sql<{ messages: number; segments: number }>(
    'select (select count(*) from journal)::int as messages, (select count(*) from telemetry)::int as segments',
  )
  return {
    messages: sum!.messages,
    unsealed: rounds * meters.length,
    sealedSegments: sum!.segments,
    seconds: Math.round((performance.now() - began) / 1000),
  }
}

/** One device sends enough that its lane seals: the segments of its hours are those of all later. */
async function sealSomething(site: Site, meter: Meter): Promise<void> {
  const to = (Math.floor(Date.now() / HOUR_MS) - 2) * HOUR_MS
  const perDevice = 6_000
  await bulkLoad(
    site.installation.mqttPort,
    [meter.identity],
    { perDevice, from: to - (perDevice / AN_HOUR) * HOUR_MS, to, perPublish: 20 },
    () => {},
  )
  const sealed = async () =>
    (await site.sql('select from telemetry where n = $1 limit 1', [AN_HOUR])).length > 0 &&
    (await site.sql('select from latest where device = $1', [meter.num])).length > 0
  if (!(await until(sealed, SEALED_WAIT_MS, 200))) throw new Error('nothing was sealed')
}

const COLUMNS = 'seq, arrived_at, ts, device_ts, device, lane, kind, values'

/** An hour that is over. Its indexes are built after its rows, which is ten times as fast. */
async function fillHour(site: Site, hour: number, first: number, values: string): Promise<void> {
  const at = `to_timestamp(${hour * 3_600})`
  const stamp = new Date(hour * HOUR_MS).toISOString().replace(/\D/g, '').slice(0, 10)
  const part = `journal_${stamp}`
  await site.sql(`select ensure_journal_partition(${at})`)
  await site.sql(`alter table journal detach partition ${part}`)
  await site.sql(`alter table ${part} drop constraint ${part}_pkey`)
  await site.sql(`drop index ${part}_device_seq_idx`)
  await site.sql(
    `insert into ${part} (${COLUMNS})
     select ${first} + m * n + k, to_timestamp(t / 1000), t, t, num, lane, 1, '${values}'
     from (select m, n, k, num, lane, floor(${hour * HOUR_MS}::float8 + m * 60000 + k * 60000.0 / n) as t
           from generate_series(0, ${AN_HOUR - 1}) m, fill_devices order by m, k) r`,
  )
  await site.sql(
    `alter table journal attach partition ${part} for values from (${at}) to (to_timestamp(${(hour + 1) * 3_600}))`,
  )
}

/** What came since the full hour. */
async function fillRecent(site: Site, first: number, rounds: number, values: string): Promise<void> {
  const now = Date.now()
  const from = Math.floor(now / HOUR_MS) * HOUR_MS
  await site.sql(`select ensure_journal_partition(to_timestamp(${from / 1000}))`)
  await site.sql(
    `insert into journal (${COLUMNS})
     select ${first} + m * n + k, to_timestamp(t / 1000), t, t, num, lane, 1, '${values}'
     from (select m, n, k, num, lane, floor(${from}::float8 + ${now - from} * (m + k::float8 / n) / ${rounds}) as t
           from generate_series(0, ${rounds - 1}) m, fill_devices order by m, k) r`,
  )
}

/** Everybody has read everything; `store` what was to be sealed. */
async function moveCursors(site: Site, sealedUpTo: number, last: number, sealedHour: number): Promise<void> {
  // A lane in which nobody has sent yet has no place of its latest values.
  await site.sql(
    `insert into consumer_cursors (consumer, lane, seq, arrived_at)
     select c.consumer, j.lane, j.seq, j.arrived_at from (select distinct consumer from consumer_cursors) c, journal j
     where j.seq = $1 and c.consumer <> 'store'
     on conflict (consumer, lane) do update set seq = excluded.seq, arrived_at = excluded.arrived_at`,
    [last],
  )
  await site.sql(`update consumer_cursors set seq = $1, arrived_at = to_timestamp($2) where consumer = 'store'`, [
    sealedUpTo,
    sealedHour * 3_600 - 1,
  ])
}

/** Sealed hours of all devices, latest values and counts, as those of the one that sent. */
async function fillHistory(site: Site, template: number, oldest: number, hours: number): Promise<void> {
  for (const hour of [oldest, oldest + hours]) await site.sql('select ensure_telemetry_partition($1)', [hour])
  await site.sql(
    `with t as (select * from telemetry where device = $1 and n = $2
                and hour = (select max(hour) from telemetry where device = $1 and n = $2))
     insert into telemetry (segment, device, property, hour, n, vmin, vmax, vsum, slots, body)
     select segment, num, property, h, n, vmin, vmax, vsum, slots, body
     from generate_series($3::int, $3 + $4 - 1) h, (select num from fill_devices order by num) d, t on conflict do nothing`,
    [template, AN_HOUR, oldest, hours],
  )
  await site.sql(
    `insert into latest (device, values) select num, (select values from latest where device = $1) from fill_devices
     on conflict do nothing`,
    [template],
  )
  await site.sql(
    `insert into device_stats (device, hour, messages)
     select num, h, $1 from generate_series($2::int, $2 + $3 - 1) h, fill_devices on conflict do nothing`,
    [AN_HOUR, oldest, hours],
  )
}
