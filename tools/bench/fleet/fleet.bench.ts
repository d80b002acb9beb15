import { Api } from '../core/api.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size } from '../core/bench.ts'
import { type DatabaseWork, databaseWork } from '../core/database-work.ts'
import { Histogram } from '../core/histogram.ts'
import { Site } from '../core/site.ts'
import {
  addCompanies,
  addDevices,
  addGroups,
  addLimitedMember,
  addPresence,
  checkSearchColumns,
  makeProducts,
} from './population.ts'
import { limitedQueries, type Query, queries } from './queries.ts'

interface Plan {
  devices: number
  companies: number
  devicesPerCompany: number
  products: number
  requests: number
}

const PLANS: Record<Size, Plan> = {
  S: { devices: 20_000, companies: 100, devicesPerCompany: 10, products: 8, requests: 100 },
  M: { devices: 100_000, companies: 1_000, devicesPerCompany: 20, products: 8, requests: 1_000 },
}
const GROUPS = 100
/** Signs in beside the owner; his data scope is one of the groups. */
const LIMITED = 'bench-one-group'
/** Tables that grow with the fleet; none of them may be read whole for one page. */
const TABLES = '^(devices|device_presence|device_unseen)$'

interface Measured {
  query: string
  n: number
  p50: number
  p95: number
  p99: number
  max: number
  pagesPerRequest: number
  seqScans: DatabaseWork['seqScans']
}

export const fleet: Bench = {
  name: 'fleet',
  summary: 'lists, searches and counts over a large fleet, by REST',
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
  const products = await makeProducts(site, plan.products)
  await checkSearchColumns(site, products[0]!.id)
  const [owner] = await site.sql<{ tenant_id: string }>('select tenant_id from products where id = $1', [
    products[0]!.id,
  ])
  const began = performance.now()
  for (const company of await addCompanies(site, plan.companies))
    await addDevices(site, company, plan.devicesPerCompany)
  const groups = await addGroups(site, owner!.tenant_id, GROUPS)
  await addLimitedMember(site, owner!.tenant_id, LIMITED, groups[Math.floor(GROUPS / 2)]!)
  await addDevices(site, { tenantId: owner!.tenant_id, products, groups }, plan.devices)
  await addPresence(site)
  // What autovacuum does by itself within minutes.
  await site.sql('vacuum (analyze) devices, device_presence, device_unseen, products, tenants, groups')
  say(
    `${plan.devices} devices and ${plan.companies} other companies in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  )

  const api = new Api(site.installation.url, 1)
  await api.signIn()
  const measured: Measured[] = []
  for (const query of await queries(api, plan.devices, products)) {
    const result = await measure(site, api, query, plan.requests)
    measured.push(result)
    say(`  ${result.query}: p50 ${result.p50} ms, p99 ${result.p99} ms`)
  }
  api.close()
  const limited = new Api(site.installation.url, 1)
  await limited.signIn(LIMITED)
  const { total }: { total: number } = await limited.get('/devices?limit=1&total=1')
  if (total !== plan.devices / GROUPS) throw new Error(`the limited caller sees ${total} devices`)
  for (const query of limitedQueries()) {
    const result = await measure(site, limited, query, plan.requests)
    measured.push(result)
    say(`  ${result.query}: p50 ${result.p50} ms, p99 ${result.p99} ms`)
  }
  limited.close()
  return report(size, plan, measured, await site.postgresVersion())
}

async function measure(site: Site, api: Api, query: Query, requests: number): Promise<Measured> {
  // The first requests of a kind prepare statements and plans.
  for (let i = 0; i < 5; i++) await api.get(query.path(i))
  const histogram = new Histogram()
  const work = await databaseWork(site, TABLES, async () => {
    for (let i = 0; i < requests; i++) {
      const path = query.path(i)
      const began = performance.now()
      await api.get(path)
      histogram.record(performance.now() - began)
    }
  })
  const at = (percent: number) => Math.round(histogram.percentile(percent) * 10) / 10
  return {
    query: query.name,
    n: requests,
    p50: at(50),
    p95: at(95),
    p99: at(99),
    max: at(100),
    pagesPerRequest: Math.round(work.pages / requests),
    seqScans: work.seqScans,
  }
}

function report(size: Size, plan: Plan, measured: Measured[], postgres: string): BenchReport {
  const worst = measured.reduce((a, b) => (b.p99 > a.p99 ? b : a))
  const whole = measured.filter(m => Object.keys(m.seqScans).length > 0)
  return {
    tables: [
      {
        title: `${plan.devices} devices in one company, ${plan.companies} companies beside it; ms over REST, one request at a time`,
        head: ['query', 'n', 'p50', 'p95', 'p99', 'max', 'pages/request', 'whole tables read'],
        rows: measured.map(m => [
          m.query,
          m.n,
          m.p50,
          m.p95,
          m.p99,
          m.max,
          m.pagesPerRequest,
          Object.entries(m.seqScans)
            .map(([table, times]) => `${table} ${times}`)
            .join(' ') || 'none',
        ]),
      },
    ],
    goals: [
      atMost(`p99 of the slowest (${worst.query})`, worst.p99, 60, 'ms'),
      atMost('kinds of request that read a table whole', whole.length, 0, ''),
    ],
    notes: [
      `"one group" is a caller whose data scope is 1 of ${GROUPS} device groups.`,
      'Devices are put in by SQL; what the server stores for searching was compared with one it made itself.',
      ...(size === 'S' ? ['Size S has a fifth of the devices that the goal speaks of.'] : []),
    ],
    versions: { PostgreSQL: postgres },
    data: { plan, measured },
  }
}
