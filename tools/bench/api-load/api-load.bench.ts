import { Api } from '../core/api.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, seconds } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { cpuBetween, readCpu } from '../core/meter.ts'
import { type Meter, Site } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'

interface Plan {
  devices: number
  /** Messages a second meanwhile: half of what is owed. */
  rate: number
  /** Requests a second, all kinds together. */
  requests: number
  seconds: number
}

const PLANS: Record<Size, Plan> = {
  S: { devices: 500, rate: 12_500, requests: 20, seconds: 20 },
  M: { devices: 5_000, rate: 12_500, requests: 40, seconds: 120 },
}
const WARM_SECONDS = 5
const P99_MS = 100
/** Requests on their way at once; a browser of a dozen people has no more. */
const SOCKETS = 16

/** One kind of read that a console does all day. */
interface Read {
  name: string
  path(i: number): string
}

interface Seen {
  name: string
  idle: Histogram
  loaded: Histogram
}

/** Reads of the console while devices report: what people feel when the plant is busy. */
export const apiLoad: Bench = {
  name: 'api-load',
  summary: 'reads of the console while devices report at half of the rate that is owed',
  async run(options) {
    const plan = PLANS[options.size]
    const site = await Site.open()
    const generator = await Generator.start()
    try {
      return await run(options, plan, site, generator)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      generator.stop()
      await site.close()
    }
  },
}

async function run({ size }: BenchOptions, plan: Plan, site: Site, generator: Generator): Promise<BenchReport> {
  const { productId, meters } = await site.meters(plan.devices)
  await generator.connect(
    site.installation.mqttPort,
    meters.map(meter => meter.identity),
  )
  const reads = readsOf(productId, meters)
  const seen: Seen[] = reads.map(({ name }) => ({ name, idle: new Histogram(), loaded: new Histogram() }))
  // Some history first, or there would be nothing to read.
  await generator.pace(plan.rate)
  await seconds(WARM_SECONDS)
  await generator.pace(0)
  await seconds(1)
  // Devices came all at once: what autovacuum does within a minute is done now.
  await site.sql('vacuum (analyze) devices, device_presence, device_unseen')
  await ask(site, plan, reads, i => seen[i]!.idle)
  await generator.pace(plan.rate)
  await seconds(WARM_SECONDS)
  await generator.read()
  const before = readCpu(site.installation.pid)
  const began = performance.now()
  await ask(site, plan, reads, i => seen[i]!.loaded)
  const took = (performance.now() - began) / 1000
  const load = await generator.read()
  const { cores } = cpuBetween(before, readCpu(site.installation.pid), 1)
  await generator.pace(0)
  return report(size, plan, seen, { acked: Math.round(load.acked / took), cores }, await site.postgresVersion())
}

function readsOf(productId: string, meters: readonly Meter[]): Read[] {
  const device = (i: number) => meters[(i * 7_919) % meters.length]!
  const day = 86_400_000
  return [
    { name: 'who am I', path: () => '/me' },
    { name: 'side menu', path: () => '/menus' },
    { name: 'devices, first page', path: () => '/devices?limit=20' },
    { name: 'devices, searched', path: i => `/devices?q=${encodeURIComponent(`Meter ${i % 500}`)}` },
    { name: 'devices of a product, online', path: () => `/devices?productId=${productId}&link=online` },
    { name: 'counts by state', path: () => '/devices/counts' },
    { name: 'one device', path: i => `/devices/${device(i).id}` },
    { name: 'latest values', path: i => `/devices/${device(i).id}/properties` },
    {
      name: 'a day of one property',
      path: i => `/devices/${device(i).id}/telemetry?identifier=pulseCounter&from=${Date.now() - day}&to=${Date.now()}`,
    },
    { name: 'message log', path: i => `/devices/${device(i).id}/messages?limit=50` },
    { name: 'products', path: () => '/products' },
    { name: 'roles', path: () => '/roles' },
    { name: 'members', path: () => '/members' },
    { name: 'operation log', path: () => '/audit-logs?limit=20' },
    { name: 'global search', path: i => `/search?q=meter-${(i * 31) % 500}` },
    { name: 'inbox count', path: () => '/inbox/unread' },
  ]
}

/** Open loop: requests have a timetable, their times count from when they were due. */
async function ask(site: Site, plan: Plan, reads: readonly Read[], into: (kind: number) => Histogram): Promise<void> {
  const api = new Api(site.installation.url, SOCKETS)
  await api.signIn()
  const total = plan.requests * plan.seconds
  const began = performance.now()
  const running: Promise<void>[] = []
  for (let i = 0; i < total; i++) {
    const due = began + (i * 1000) / plan.requests
    const wait = due - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    const kind = i % reads.length
    running.push(
      api.get(reads[kind]!.path(i)).then(() => {
        into(kind).record(performance.now() - due)
      }),
    )
  }
  await Promise.all(running)
  api.close()
}

function report(
  size: Size,
  plan: Plan,
  seen: readonly Seen[],
  load: { acked: number; cores: number },
  postgres: string,
): BenchReport {
  const all = new Histogram()
  for (const { loaded } of seen) all.add(loaded.data())
  const at = (histogram: Histogram, percent: number) => Math.round(histogram.percentile(percent) * 10) / 10
  const p99 = at(all, 99)
  return {
    tables: [
      {
        title: `${plan.requests} reads a second, ${plan.devices} devices connected, ${load.acked} messages a second stored meanwhile; ms from when a request was due`,
        head: ['read', 'n', 'idle p50', 'idle p99', 'loaded p50', 'loaded p99', 'max'],
        rows: seen.map(({ name, idle, loaded }) => [
          name,
          loaded.count,
          at(idle, 50),
          at(idle, 99),
          at(loaded, 50),
          at(loaded, 99),
          at(loaded, 100),
        ]),
      },
    ],
    goals: [atMost('p99 of all reads at half load', p99, P99_MS, 'ms')],
    notes: [
      `The whole server used ${load.cores} cores; the generator shares the machine with it.`,
      'A kind of its own is asked few times: its p99 is near its maximum; the goal is held against all reads together.',
      ...(size === 'S' ? ['Size S shows that the harness works; the published figures are those of size M.'] : []),
    ],
    versions: { PostgreSQL: postgres },
    data: {
      p99,
      p50: at(all, 50),
      acked: load.acked,
      cores: load.cores,
      reads: seen.map(({ name, idle, loaded }) => ({ name, idle: idle.summary(), loaded: loaded.summary() })),
    },
  }
}
