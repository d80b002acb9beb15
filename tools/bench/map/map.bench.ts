import { Api } from '../core/api.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size } from '../core/bench.ts'
import { consoleEntry, inBrowser, requireConsole, SLOW } from '../core/browser.ts'
import { Histogram } from '../core/histogram.ts'
import { Site } from '../core/site.ts'
import { addDevices, addPresence, makeProducts } from '../fleet/population.ts'

/** What the program in e2e/bench prints; only the wire is shared with it. */
interface LoadFigures {
  machine: string
  paintMs: number
  lcpMs: number
}
interface DragFigures {
  machine: string
  view: string
  marks: number
  frames: number
  p99Ms: number
  longestMs: number
  above50: number
}

interface Plan {
  devices: number
  requests: number
  loads: number
  drags: number
}

const PLANS: Record<Size, Plan> = {
  S: { devices: 10_000, requests: 20, loads: 1, drags: 2 },
  M: { devices: 100_000, requests: 100, loads: 5, drags: 6 },
}
const PRODUCTS = 8
const TOWNS = 300
const HERE = 'this machine'
const MACHINES = [
  { name: HERE, cpuSlowdown: 1, megabitsPerSecond: null, latencyMs: 0 },
  { name: `CPU ${SLOW.cpuSlowdown}x slower, ${SLOW.megabitsPerSecond} Mbit/s, ${SLOW.latencyMs} ms`, ...SLOW },
]
const VIEWS = [
  { name: 'whole country', closer: 0 },
  { name: 'two steps closer', closer: 2 },
]
/** Parts of the map as the console asks for them: 1,150 px wide, cells of 56 px. */
const PARTS = [
  { name: 'whole country', lng: 104, lat: 36, span: 70 },
  { name: 'a few provinces', lng: 112, lat: 32, span: 17.5 },
  { name: 'a town', lng: 112, lat: 32, span: 1 },
]

export const map: Bench = {
  name: 'map',
  summary: 'the map of a company with a large fleet, by REST and in Chromium',
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

async function run({ size, say }: BenchOptions, plan: Plan, site: Site): Promise<BenchReport> {
  requireConsole()
  const products = await makeProducts(site, PRODUCTS)
  const [owner] = await site.sql<{ tenant_id: string }>('select tenant_id from products where id = $1', [
    products[0]!.id,
  ])
  await addDevices(site, { tenantId: owner!.tenant_id, products }, plan.devices)
  await addPresence(site)
  await placeDevices(site)
  await site.sql('vacuum (analyze) devices, device_presence, device_unseen, products')
  say(`${plan.devices} devices around ${TOWNS} towns`)
  const reads = await readParts(site, plan, say)
  const { browser, loads, drags } = await inBrowser<{
    browser: string
    loads: LoadFigures[]
    drags: DragFigures[]
  }>('map-figures.ts', {
    url: site.installation.url,
    userToken: await consoleEntry(site.installation.url),
    machines: MACHINES,
    loads: plan.loads,
    drags: plan.drags,
    views: VIEWS,
  })
  for (const f of loads) say(`  ${f.machine}: painted after ${f.paintMs} ms`)
  for (const f of drags) say(`  ${f.machine}, ${f.view}: longest frame ${f.longestMs} ms of ${f.frames}`)
  return report(size, { reads, loads, drags }, browser, await site.postgresVersion())
}

/** Places devices within about twenty kilometres of towns, and lets one in forty of those that were seen be in alarm. */
async function placeDevices(site: Site): Promise<void> {
  await site.sql(
    `with towns as materialized (
       select i, 98 + 24 * random() as lng, 22 + 20 * random() as lat from generate_series(0, $1::int - 1) i)
     update devices d set location = jsonb_build_object(
       'lng', round((t.lng + 0.2 * (random() + random() - 1))::numeric, 6),
       'lat', round((t.lat + 0.2 * (random() + random() - 1))::numeric, 6))
     from towns t where t.i = d.num % $1::int`,
    [TOWNS],
  )
  await site.sql('update device_presence set alarm_level = 1 + device % 5 where device % 40 = 0')
}

interface PartRead {
  part: string
  devices: number
  cells: number
  kilobytes: number
  n: number
  p50: number
  p95: number
  max: number
}

/** Each part as often as planned, one request at a time. */
async function readParts(site: Site, plan: Plan, say: (line: string) => void): Promise<PartRead[]> {
  const api = new Api(site.installation.url, 1)
  await api.signIn()
  const found: PartRead[] = []
  for (const { name, lng, lat, span } of PARTS) {
    const [east, north] = [span / 2, span / 4]
    const cell = (span / 1_150) * 56
    const path = `/device-map?west=${lng - east}&south=${lat - north}&east=${lng + east}&north=${lat + north}&cell=${cell}`
    const read = () => api.get<{ items: unknown[]; count: number }>(path)
    // The first requests prepare statements and plans.
    for (let i = 0; i < 5; i++) await read()
    const histogram = new Histogram()
    let reply = await read()
    for (let i = 0; i < plan.requests; i++) {
      const began = performance.now()
      reply = await read()
      histogram.record(performance.now() - began)
    }
    const at = (percent: number) => Math.round(histogram.percentile(percent) * 10) / 10
    const { count: devices, items } = reply
    const kilobytes = Math.round(JSON.stringify(reply).length / 100) / 10
    const times = { n: plan.requests, p50: at(50), p95: at(95), max: at(100) }
    found.push({ part: name, devices, cells: items.length, kilobytes, ...times })
    say(`  ${name}: ${devices} devices in ${items.length} cells, p50 ${times.p50} ms, p95 ${times.p95} ms`)
  }
  api.close()
  return found
}

function report(
  size: Size,
  { reads, loads, drags }: { reads: PartRead[]; loads: LoadFigures[]; drags: DragFigures[] },
  browser: string,
  postgres: string,
): BenchReport {
  const paintsOf = (machine: string) => loads.filter(f => f.machine === machine).map(f => f.paintMs)
  const longest = Math.max(...drags.filter(f => f.machine === HERE).map(f => f.longestMs))
  return {
    tables: [
      {
        title: 'Reads over REST, one at a time, ms',
        head: ['part', 'devices', 'cells', 'KB', 'n', 'p50', 'p95', 'max'],
        rows: reads.map(r => [r.part, r.devices, r.cells, r.kilobytes, r.n, r.p50, r.p95, r.max]),
      },
      {
        title: 'The page opened at its own address by someone who is signed in, without cache and service worker, ms',
        head: ['machine', 'n', 'first paint, median', 'longest', 'LCP, median'],
        rows: MACHINES.map(({ name }) => {
          const paints = paintsOf(name)
          const lcps = loads.filter(f => f.machine === name).map(f => f.lcpMs)
          return [name, paints.length, median(paints), Math.max(...paints), median(lcps)]
        }),
      },
      {
        title: 'Frames while the map is dragged across more than half of the window, until what is seen then is drawn',
        head: ['machine', 'view', 'marks', 'frames', 'p99 ms', 'longest ms', 'above 50 ms'],
        rows: drags.map(d => [d.machine, d.view, d.marks, d.frames, d.p99Ms, d.longestMs, d.above50]),
      },
    ],
    goals: [
      atMost('first paint of the map', median(paintsOf(HERE)), 1_500, 'ms'),
      atMost('longest frame of a drag', longest, 50, 'ms'),
    ],
    notes: [
      'The goals are those of this machine as it is; a slow one is shown beside it. Server, database and browser share its CPUs.',
      'First paint: the frame after outlines and marks are there, counted from the beginning of the navigation.',
      `Devices stand within about twenty kilometres of ${TOWNS} towns and are put in by SQL.`,
      ...(size === 'S' ? ['Size S has a tenth of the devices that the goals speak of.'] : []),
    ],
    versions: { Chromium: browser, PostgreSQL: postgres },
    data: { reads, loads, drags },
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!
}
