import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, until } from '../core/bench.ts'
import { type Meter, Site } from '../core/site.ts'
import { bulkLoad } from '../history/bulk-load.ts'
import { sealAndMerge } from '../history/sealing.ts'

const METERS: Record<Size, number> = { S: 1_000, M: 10_000 }
const FILLERS = 20
const COUNTER = 'pulseCounter'
const HOUR_MS = 3_600_000
const QUARTER_MS = HOUR_MS / 4
const BOUND_S = 300
const PATIENCE_MS = 1_800_000
const MERGE_SECONDS = 600

/** A month of readings every 15 minutes, billed by a time-of-use tariff; then once more with a kill in the middle. */
export const billing: Bench = {
  name: 'billing',
  summary: '10,000 meters with a month of 15-minute readings, billed by time of use; and with kill -9 in between',
  async run(options) {
    const site = await Site.open()
    try {
      return await run(options, site)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      await site.close()
    }
  },
}

interface Run {
  id: string
  state: 'running' | 'done' | 'cancelled'
  statements: number
  failed: number
}

async function run({ say, size }: BenchOptions, site: Site): Promise<BenchReport> {
  const count = METERS[size]
  const { meters: devices } = await site.meters(count + FILLERS)
  const month = await lastMonth(site)
  const readings = await fill(site, devices, count, month, say)
  await addMeters(site, devices.slice(0, count), month.firstDay)

  const first = await bill(site, month.name)
  say(`  ${first.statements} statements in ${first.seconds} s`)
  if (first.failed > 0) {
    const why = await site.sql<{ code: string; n: number }>(
      'select code, count(*)::int as n from task_failures group by code order by n desc',
    )
    throw new Error(`${first.failed} meters were not billed: ${why.map(({ code, n }) => `${n} ${code}`).join(', ')}`)
  }
  const whole = await books(site)

  // As before the run, but for the ledger, which forgets nothing: its keys are those of the statements.
  await site.sql('delete from meter_statement_lines')
  await site.sql('delete from meter_statements')
  await site.sql('update meters set billed_to = null, billed_value = null')
  await site.sql('delete from billing_runs')
  const begun = await site.api.post<Run>('/billing-runs', { month: month.name })
  const third = Math.floor(count / 3)
  await until(async () => (await books(site)).statements >= third, PATIENCE_MS, 50)
  const atKill = (await books(site)).statements
  await site.crashAndRestart()
  const resumed = await ended(site, begun.id)
  const after = await books(site)
  say(`  killed after ${atKill} statements; ${after.statements} in the end`)

  return {
    tables: [
      {
        title: `${count} meters, ${readings} readings each`,
        head: ['run', 'statements', 'failed', 'seconds', 'meters a second'],
        rows: [
          ['whole', first.statements, first.failed, first.seconds, Math.round(count / first.seconds)],
          [`killed after ${atKill}`, after.statements, resumed.failed, null, null],
        ],
      },
    ],
    goals: [
      atMost(`seconds for ${count} meters`, first.seconds, BOUND_S, 's'),
      atMost('meters without a statement', count - whole.statements, 0, ''),
      atMost('after the kill: meters without a statement', count - after.meters, 0, ''),
      atMost('after the kill: meters with two', after.statements - after.meters, 0, ''),
      atMost('after the kill: fen that differ from the whole run', Math.abs(after.fen - whole.fen), 0, ''),
    ],
    notes: [
      'One device posted its month through the front door; the sealed segments of its counter were copied to the others by SQL, as were meters and end users.',
      'Each meter has an end user of its own; the tariff has three bands.',
    ],
    versions: { PostgreSQL: await site.postgresVersion() },
    data: { count, readings, first, atKill, whole, after },
  }
}

/** The last month that is over, in the time zone of the company. */
async function lastMonth(site: Site) {
  const [row] = await site.sql<{ name: string; day: string; from: number; to: number }>(
    `select to_char(m, 'YYYY-MM') as name, to_char(m, 'YYYY-MM-DD') as day,
       (extract(epoch from m at time zone 'Asia/Shanghai') * 1000)::float8 as "from",
       (extract(epoch from (m + interval '1 month') at time zone 'Asia/Shanghai') * 1000)::float8 as "to"
     from (select date_trunc('month', now() at time zone 'Asia/Shanghai') - interval '1 month' as m) x`,
  )
  return { name: row!.name, firstDay: row!.day, from: row!.from, to: row!.to }
}

/** @returns readings of one meter in the month */
async function fill(
  site: Site,
  devices: readonly Meter[],
  count: number,
  { from, to }: { from: number; to: number },
  say: (line: string) => void,
): Promise<number> {
  const template = devices[0]!
  const begin = from - QUARTER_MS
  const end = to + QUARTER_MS
  const perDevice = Math.round((end - begin) / QUARTER_MS)
  await bulkLoad(
    site.installation.mqttPort,
    [template.identity],
    { perDevice, from: begin, to: end, perPublish: 100 },
    () => {},
  )
  const fillers = devices.slice(count).map(({ identity }) => identity)
  await sealAndMerge(site, fillers, MERGE_SECONDS, say)
  const hours = [Math.floor(begin / HOUR_MS), Math.floor(end / HOUR_MS)]
  const property = await counterOf(site, template.num)
  say('  the readings are copied to the other meters ...')
  await site.sql(
    `insert into telemetry (segment, device, property, hour, n, vmin, vmax, vsum, slots, body)
     select t.segment, d.num, t.property, t.hour, t.n, t.vmin, t.vmax, t.vsum, t.slots, t.body
     from unnest($1::int[]) d (num), telemetry t
     where t.device = $2 and t.property = $3 and t.hour between $4 and $5 and d.num <> $2 on conflict do nothing`,
    [devices.slice(0, count).map(({ num }) => num), template.num, property, hours[0], hours[1]],
  )
  await site.sql('vacuum (analyze) telemetry')
  const [row] = await site.sql<{ n: number }>(
    'select coalesce(sum(n), 0)::int as n from telemetry where device = $1 and property = $2 and hour between $3 and $4',
    [template.num, property, hours[0], hours[1]],
  )
  return row!.n
}

/** The number of the property that meters count by. */
async function counterOf(site: Site, device: number): Promise<number> {
  const [row] = await site.sql<{ property: number }>(
    `select p.num as property from product_properties p join devices d on d.product_num = p.product_num
     where d.num = $1 and p.identifier = $2`,
    [device, COUNTER],
  )
  if (!row) throw new Error('the product has no counter')
  return row.property
}

async function addMeters(site: Site, devices: readonly Meter[], firstDay: string): Promise<void> {
  const everyDay = [1, 2, 3, 4, 5]
  const tariff = await site.api.post<{ id: string }>('/tariffs', {
    name: 'Power',
    unit: 'kWh',
    validFrom: '2020-01-01',
    rates: {
      kind: 'time_of_use',
      bands: [
        { name: 'peak', price: '1.0313' },
        { name: 'flat', price: '0.6177' },
        { name: 'valley', price: '0.3081' },
      ],
      spans: [
        { weekdays: everyDay, from: '08:30', to: '11:30', band: 0 },
        { weekdays: everyDay, from: '18:00', to: '23:00', band: 0 },
        { weekdays: [1, 2, 3, 4, 5, 6, 7], from: '23:00', to: '24:00', band: 2 },
        { weekdays: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '07:00', band: 2 },
      ],
      otherwise: 1,
    },
  })
  const [own] = await site.sql<{ tenant: string }>(`select tenant_id as tenant from logins where username = 'admin'`)
  const ids = devices.map(({ id }) => id)
  await site.sql(
    `insert into logins (id, tenant_id, kind, username, display_name)
     select d.id, $1, 'end_user', 'customer-' || d.n, 'Customer ' || d.n from unnest($2::uuid[]) with ordinality d (id, n)`,
    [own!.tenant, ids],
  )
  await site.sql(
    'insert into end_users (id, tenant_id, path) select d.id, $1, array[d.id] from unnest($2::uuid[]) d (id)',
    [own!.tenant, ids],
  )
  await site.sql(
    `insert into meters (id, tenant_id, name, device_id, device_name, property, end_user_id, tariff_id, mode, from_day)
     select gen_random_uuid(), $1, 'Meter ' || d.n, d.id, 'Meter ' || d.n, $5, d.id, $3, 'postpaid', $4::date
     from unnest($2::uuid[]) with ordinality d (id, n)`,
    [own!.tenant, ids, tariff.id, firstDay, COUNTER],
  )
  await site.sql('vacuum (analyze) logins, end_users, meters')
}

async function bill(site: Site, month: string): Promise<Run & { seconds: number }> {
  const began = performance.now()
  const { id } = await site.api.post<Run>('/billing-runs', { month })
  const run = await ended(site, id)
  return { ...run, seconds: Math.round((performance.now() - began) / 100) / 10 }
}

async function ended(site: Site, id: string): Promise<Run> {
  let found: Run | undefined
  const done = await until(
    async () => {
      const { items } = await site.api.get<{ items: Run[] }>('/billing-runs')
      found = items.find(item => item.id === id)
      return found !== undefined && found.state !== 'running'
    },
    PATIENCE_MS,
    200,
  )
  if (!done) throw new Error(`the run did not end: ${JSON.stringify(found)}`)
  return found!
}

async function books(site: Site): Promise<{ statements: number; meters: number; fen: number }> {
  const [row] = await site.sql<{ statements: number; meters: number; fen: number }>(
    `select count(*)::int as statements, count(distinct meter_id)::int as meters, coalesce(sum(amount_fen), 0)::float8 as fen
     from meter_statements where state <> 'voided'`,
  )
  return row!
}
