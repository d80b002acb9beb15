import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, seconds } from '../core/bench.ts'
import { type CpuUse, cpuBetween, readCpu } from '../core/meter.ts'
import { type Meter, Site, VALUES_PER_MESSAGE } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'
import { drain } from '../ingest/window.ts'
import { type ShapeHistory, shapeHistory } from '../peers/thingsboard-history.ts'
import { bulkLoad } from './bulk-load.ts'
import { type Reads, readsOf } from './reads.ts'
import { type Sealing, sealAndMerge } from './sealing.ts'

interface Plan {
  devices: number
  perDevice: number
  /** Messages posted one by one before, for what is not sealed yet. */
  hotMessages: number
  hotRate: number
  requests: number
  mergeSeconds: number
  shapeDevices: number
}

const PLANS: Record<Size, Plan> = {
  S: {
    devices: 500,
    perDevice: 2_000,
    hotMessages: 50_000,
    hotRate: 5_000,
    requests: 300,
    mergeSeconds: 120,
    shapeDevices: 100,
  },
  M: {
    devices: 5_000,
    perDevice: 2_000,
    hotMessages: 500_000,
    hotRate: 10_000,
    requests: 2_000,
    mergeSeconds: 1_800,
    shapeDevices: 500,
  },
}
const FILLERS = 20
const PER_PUBLISH = 20
const DAY_MS = 86_400_000
/** The newest hours are not merged yet: what is measured lies before them. */
const BEFORE_NOW_MS = 3 * 3_600_000

interface Found {
  hotBytesPerValue: number
  loadSeconds: number
  loadCpu: CpuUse
  sealing: Sealing
  /** On the disk, with indexes and the room that merged segments left. */
  sealedBytesPerValue: number
  /** The rows alone. */
  segmentBytesPerValue: number
  segments: number
  valuesSealed: number
  reads: { unsealed: Reads; day: Reads; dayRough: Reads; rawPage: Reads }
  shape: ShapeHistory
}

export const history: Bench = {
  name: 'history',
  summary: 'a day of one property out of millions of messages; bytes per value; pages touched',
  async run(options) {
    const site = await Site.open()
    const generator = await Generator.start()
    try {
      return await run(options, PLANS[options.size], site, generator)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      generator.stop()
      await site.close()
    }
  },
}

async function run({ say, size }: BenchOptions, plan: Plan, site: Site, generator: Generator): Promise<BenchReport> {
  const { meters } = await site.meters(plan.devices + FILLERS)
  const measured = meters.slice(0, plan.devices)
  const fillers = meters.slice(plan.devices).map(meter => meter.identity)

  const hotBytesPerValue = await postHot(site, generator, measured, plan)
  const now = Date.now()
  const unsealed = await readsOf(site, measured, plan.requests, ({ id }) =>
    rawPath(id, now - DAY_MS, now + DAY_MS, 1_000),
  )
  say(`unsealed: ${hotBytesPerValue} bytes a value`)

  const to = now - BEFORE_NOW_MS
  const range = { from: to - DAY_MS, to }
  const began = performance.now()
  const before = readCpu(site.installation.pid)
  await bulkLoad(
    site.installation.mqttPort,
    measured.map(meter => meter.identity),
    { ...range, perDevice: plan.perDevice, perPublish: PER_PUBLISH },
    share => say(`  ${Math.round(share * 100)} % of ${plan.devices * plan.perDevice} messages`),
  )
  const loadSeconds = Math.round((performance.now() - began) / 1000)
  const sealing = await sealAndMerge(site, fillers, plan.mergeSeconds, say)
  const posted = plan.devices * plan.perDevice + sealing.fillerMessages
  const loadCpu = cpuBetween(before, readCpu(site.installation.pid), posted)

  await site.sql('vacuum (analyze) telemetry')
  const stored = await sealedSize(site)
  const day = await readsOf(site, measured, plan.requests, ({ id }) => seriesPath(id, range, 500))
  const dayRough = await readsOf(site, measured, plan.requests, ({ id }) => seriesPath(id, range, 200))
  const rawPage = await readsOf(site, measured, plan.requests, ({ id }) => rawPath(id, range.from, range.to, 1_000))
  const shape = await shapeHistory(site, plan.shapeDevices, plan.perDevice)
  return report(size, plan, await site.postgresVersion(), {
    hotBytesPerValue,
    loadSeconds,
    loadCpu,
    sealing,
    ...stored,
    reads: { unsealed, day, dayRough, rawPage },
    shape,
  })
}

/** Posts messages one by one, so that neighbours in the journal belong to different devices. @returns bytes a value */
async function postHot(site: Site, generator: Generator, meters: readonly Meter[], plan: Plan): Promise<number> {
  const before = await journalBytes(site)
  await generator.connect(
    site.installation.mqttPort,
    meters.map(meter => meter.identity),
  )
  await generator.pace(plan.hotRate)
  await seconds(plan.hotMessages / plan.hotRate)
  await generator.pace(0)
  if ((await drain(generator)) === null) throw new Error('messages were never acknowledged')
  const { acked } = await generator.read()
  await generator.disconnect()
  const bytes = (await journalBytes(site)) - before
  return Math.round((bytes / (acked * VALUES_PER_MESSAGE)) * 10) / 10
}

async function journalBytes(site: Site): Promise<number> {
  return sizeOf(site, 'journal')
}

async function sealedSize(
  site: Site,
): Promise<Pick<Found, 'sealedBytesPerValue' | 'segmentBytesPerValue' | 'segments' | 'valuesSealed'>> {
  const [row] = await site.sql<{ segments: number; n: number; bytes: number }>(
    'select count(*)::int as segments, sum(n)::float8 as n, sum(pg_column_size(t.*))::float8 as bytes from telemetry t',
  )
  const perValue = (bytes: number) => Math.round((bytes / Math.max(1, row!.n)) * 100) / 100
  return {
    sealedBytesPerValue: perValue(await sizeOf(site, 'telemetry')),
    segmentBytesPerValue: perValue(row!.bytes),
    segments: row!.segments,
    valuesSealed: row!.n,
  }
}

/** A partitioned table with its indexes, bytes. */
async function sizeOf(site: Site, table: string): Promise<number> {
  const [row] = await site.sql<{ bytes: number }>(
    'select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 as bytes from pg_inherits where inhparent = $1::regclass',
    [table],
  )
  return row!.bytes
}

function seriesPath(id: string, { from, to }: { from: number; to: number }, points: number): string {
  return `/devices/${id}/telemetry?identifier=pulseCounter&from=${from}&to=${to}&points=${points}`
}

function rawPath(id: string, from: number, to: number, limit: number): string {
  return `/devices/${id}/telemetry/raw?identifier=pulseCounter&from=${from}&to=${to}&limit=${limit}`
}

function report(size: Size, plan: Plan, postgres: string, found: Found): BenchReport {
  const { reads, shape, sealing } = found
  const messages = plan.devices * plan.perDevice
  const row = (what: string, r: Reads) => [what, r.n, r.p50, r.p99, r.max, r.pages, r.telemetryPages, r.items]
  return {
    tables: [
      {
        title: `Reads over REST, ${messages} messages (${messages * VALUES_PER_MESSAGE} values) of ${plan.devices} devices, warm`,
        head: ['read', 'n', 'p50 ms', 'p99', 'max', 'pages', 'of it history', 'points'],
        rows: [
          row('24 h of one property, 500 points', reads.day),
          row('24 h of one property, 200 points', reads.dayRough),
          row('24 h raw, first 1,000', reads.rawPage),
          row('last messages, not sealed', reads.unsealed),
          [
            "24 h averages from ThingsBoard's table, SQL alone",
            shape.n,
            shape.p50,
            shape.p99,
            shape.max,
            shape.pages,
            shape.pages,
            shape.items,
          ],
        ],
      },
      {
        title: 'Bytes a value, indexes included',
        head: ['where', 'bytes'],
        rows: [
          ['journal (not sealed)', found.hotBytesPerValue],
          ['sealed', found.sealedBytesPerValue],
          ['sealed, rows alone', found.segmentBytesPerValue],
          ["ThingsBoard's table", shape.bytesPerValue],
        ],
      },
    ],
    goals: [
      atMost('24 h of one property at 500 points, p50', reads.day.p50, 5, 'ms'),
      atMost('bytes a sealed value', found.sealedBytesPerValue, 8, ''),
      atMost('bytes a value not sealed', found.hotBytesPerValue, 60, ''),
    ],
    notes: [
      `Posted through the front door as arrays of ${PER_PUBLISH} readings in ${found.loadSeconds} s; all CPU of the server from the first message to the merged segment, waiting included: ${found.loadCpu.microsPerMessage} µs a message.`,
      `${found.valuesSealed} values in ${found.segments} segments; ${sealing.sealed ? 'all of the measured ones are sealed' : 'NOT all sealed'}; ${sealing.unmergedHours} hours not merged.`,
      'Pages are 8 KB pages of PostgreSQL touched for a request: sign-in and device look-up included, then those of journal and telemetry alone.',
      `ThingsBoard's table holds ${plan.shapeDevices * plan.perDevice} messages of ${plan.shapeDevices} devices, interleaved by time; its time is that of the statement, without any server before it.`,
      ...(size === 'S' ? ['The goal speaks of 10 million messages: size M.'] : []),
    ],
    versions: { PostgreSQL: postgres },
    data: { plan, ...found },
  }
}
