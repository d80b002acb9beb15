import { Api } from '../core/api.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { Site } from '../core/site.ts'
import { addDevices, addGroups, addLimitedMember, addPresence, makeProducts } from '../fleet/population.ts'
import { addSamples } from './samples.ts'

interface Plan {
  devices: number
  days: number
  requests: number
}

const PLANS: Record<Size, Plan> = {
  S: { devices: 10_000, days: 30, requests: 30 },
  M: { devices: 100_000, days: 30, requests: 200 },
}
const PRODUCTS = 8
const GROUPS = 100
/** Days for which the short steps are kept. */
const SHORT_DAYS = 4
const DAY_MS = 86_400_000

interface Caller {
  name: string
  /** Of the device groups, from the first; null: all devices. */
  groups: number | null
}

const CALLERS: readonly Caller[] = [
  { name: 'owner', groups: null },
  { name: 'one group of 100', groups: 1 },
  { name: 'half of the groups', groups: GROUPS / 2 },
]

interface Measured {
  caller: string
  read: string
  n: number
  p50: number
  p95: number
  max: number
}

/** Everything the page asks when it is opened, and over its longest span. */
const READS: readonly { name: string; path: (now: number) => string }[] = [
  { name: 'key figures', path: () => '/statistics/facts' },
  { name: 'trends, 24 h beside the day before', path: now => trends(now, 1) },
  { name: 'trends, 30 days beside those before', path: now => trends(now, 30) },
  { name: 'devices by product', path: () => '/statistics/distribution?by=product' },
  { name: 'devices by link type', path: () => '/statistics/distribution?by=linkType' },
  { name: 'top talkers, 24 h', path: now => `/statistics/talkers?from=${now - DAY_MS}&to=${now}` },
  { name: 'top talkers, 7 days', path: now => `/statistics/talkers?from=${now - 7 * DAY_MS}&to=${now}` },
  { name: 'what needs somebody', path: () => '/statistics/attention' },
]
const trends = (now: number, days: number) => `/statistics/trends?from=${now - days * DAY_MS}&to=${now}&before=1`

export const overview: Bench = {
  name: 'overview',
  summary: 'the overview of a company with a large fleet, by REST',
  async run(options) {
    const site = await Site.open()
    try {
      return await run(options, PLANS[options.size], site)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      await site.close()
    }
  },
}

async function run({ say, size }: BenchOptions, plan: Plan, site: Site): Promise<BenchReport> {
  const products = await makeProducts(site, PRODUCTS)
  const [owner] = await site.sql<{ tenant_id: string }>('select tenant_id from products where id = $1', [
    products[0]!.id,
  ])
  const tenantId = owner!.tenant_id
  const groups = await addGroups(site, tenantId, GROUPS)
  await addDevices(site, { tenantId, products, groups }, plan.devices)
  await addPresence(site)
  await site.sql('vacuum (analyze) devices, device_presence, products, groups')
  const rows = await addSamples(site, tenantId, { days: plan.days, short: SHORT_DAYS })
  say(`${plan.devices} devices, ${rows} samples of ${plan.days} days`)
  const measured: Measured[] = []
  for (const caller of CALLERS) measured.push(...(await ofCaller(site, tenantId, caller, groups, plan, say)))
  return report(size, plan, rows, measured, await site.postgresVersion())
}

async function ofCaller(
  site: Site,
  tenantId: string,
  { name, groups: count }: Caller,
  groups: readonly string[],
  plan: Plan,
  say: (line: string) => void,
): Promise<Measured[]> {
  const api = new Api(site.installation.url, 1)
  if (count === null) await api.signIn()
  else {
    const username = `bench-${count}-groups`
    await addLimitedMember(site, tenantId, username, groups[0]!)
    await site.sql(
      `update roles set data_scope = jsonb_build_object('kind', 'groups', 'groupIds', to_jsonb($2::text[])) where key = $1`,
      [username, groups.slice(0, count)],
    )
    await api.signIn(username)
  }
  const measured: Measured[] = []
  for (const read of READS) {
    for (let i = 0; i < 5; i++) await api.get(read.path(Date.now()))
    const histogram = new Histogram()
    for (let i = 0; i < plan.requests; i++) {
      const path = read.path(Date.now())
      const began = performance.now()
      await api.get(path)
      histogram.record(performance.now() - began)
    }
    const at = (percent: number) => Math.round(histogram.percentile(percent) * 10) / 10
    measured.push({ caller: name, read: read.name, n: plan.requests, p50: at(50), p95: at(95), max: at(100) })
    say(`  ${name}, ${read.name}: p50 ${at(50)} ms, p95 ${at(95)} ms`)
  }
  api.close()
  return measured
}

function report(size: Size, plan: Plan, rows: number, measured: Measured[], postgres: string): BenchReport {
  const worst = measured.reduce((a, b) => (b.p95 > a.p95 ? b : a))
  return {
    tables: [
      {
        title: `${plan.devices} devices, ${rows} samples of ${plan.days} days; ms over REST, one request at a time`,
        head: ['caller', 'read', 'n', 'p50', 'p95', 'max'],
        rows: measured.map(m => [m.caller, m.read, m.n, m.p50, m.p95, m.max]),
      },
    ],
    goals: [atMost(`p95 of the slowest (${worst.caller}: ${worst.read})`, worst.p95, 100, 'ms')],
    notes: [
      `${PRODUCTS} products in ${GROUPS} groups make ${PRODUCTS * GROUPS} cells. The callers see all devices, those of one group, those of half of the groups.`,
      'Devices and samples of the days before are put in by SQL; the server goes on taking samples meanwhile.',
      ...(size === 'S' ? ['Size S has a tenth of the devices that the goal speaks of.'] : []),
    ],
    versions: { PostgreSQL: postgres },
    data: { plan, measured },
  }
}
