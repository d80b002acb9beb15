import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, seconds } from '../core/bench.ts'
import { ChildTool } from '../core/child-process.ts'
import { Histogram, type HistogramData, type LatencySummary } from '../core/histogram.ts'
import { cpuBetween, readCpu } from '../core/meter.ts'
import { RESULTS } from '../core/report.ts'
import { Site } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'
import type { FromProber, ProberFigures, ToProber } from './messages.ts'

interface Plan {
  connections: number
  probes: number
  /** Probes a second; each device of them one or fewer, below what the live socket merges. */
  probeRate: number
  storedEvery: number
  seconds: number
}

const PLANS: Record<Size, Plan> = {
  S: { connections: 500, probes: 100, probeRate: 100, storedEvery: 3, seconds: 10.5 },
  M: { connections: 5_000, probes: 120, probeRate: 120, storedEvery: 4, seconds: 60 },
}
const LEVELS = [100, 1_000, 5_000]
/** Where `ingest` has not been run yet: half of the durable rate that is owed. */
const ASSUMED_RATE = 25_000
const WARM_SECONDS = 3

interface Level {
  rate: number
  label: string
  puback: LatencySummary
  stored: LatencySummary
  browser: LatencySummary
  tooEarly: number
  lost: ProberFigures['lost']
  cores: number
}

export const latency: Bench = {
  name: 'latency',
  summary: 'publish → PUBACK, → readable over REST, → live socket, from the intended time',
  async run(options) {
    const plan = PLANS[options.size]
    const site = await Site.open()
    const generator = await Generator.start()
    const prober = await ChildTool.start<ToProber, FromProber>(join(import.meta.dirname, 'prober.main.ts'))
    try {
      return await run(options, plan, site, generator, prober)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      prober.stop()
      generator.stop()
      await site.close()
    }
  },
}

async function run(
  { say, size }: BenchOptions,
  plan: Plan,
  site: Site,
  generator: Generator,
  prober: ChildTool<ToProber, FromProber>,
): Promise<BenchReport> {
  const { installation } = site
  const { meters } = await site.meters(plan.connections + plan.probes)
  const probes = meters.slice(0, plan.probes)
  await generator.connect(
    installation.mqttPort,
    meters.slice(plan.probes).map(meter => meter.identity),
  )
  await prober.ask({ type: 'open', url: installation.url, mqttPort: installation.mqttPort, probes }, 'done')
  const best = bestKnownRate()
  const half = Math.round((best ?? ASSUMED_RATE) / 2)
  const levels: Level[] = []
  for (const rate of [...LEVELS, half]) {
    const level = await measure(plan, site, generator, prober, rate)
    level.label = rate === half ? `${rate} (half of ${best === null ? 'the goal' : 'the highest'})` : String(rate)
    levels.push(level)
    say(
      `  ${level.label} msg/s: PUBACK p99 ${level.puback.p99} ms, stored p99 ${level.stored.p99} ms, live p99 ${level.browser.p99} ms`,
    )
  }
  return report(size, plan, levels, best, await site.postgresVersion())
}

async function measure(
  plan: Plan,
  site: Site,
  generator: Generator,
  prober: ChildTool<ToProber, FromProber>,
  rate: number,
): Promise<Level> {
  const probeRate = Math.min(plan.probeRate, rate)
  await generator.pace(rate - probeRate)
  await prober.ask({ type: 'pace', rate: probeRate, storedEvery: plan.storedEvery }, 'done')
  await seconds(WARM_SECONDS)
  await prober.ask({ type: 'reset' }, 'done')
  await generator.read()
  const before = readCpu(site.installation.pid)
  await seconds(plan.seconds)
  const after = readCpu(site.installation.pid)
  const load = await generator.read()
  await prober.ask({ type: 'pace', rate: 0, storedEvery: 1 }, 'done')
  const { figures } = await prober.ask({ type: 'read' }, 'figures')
  await generator.pace(0)
  return {
    rate,
    label: '',
    puback: summary(load.latency, figures.puback),
    stored: summary(figures.stored),
    browser: summary(figures.browser),
    tooEarly: figures.tooEarly,
    lost: figures.lost,
    cores: cpuBetween(before, after, 1).cores,
  }
}

function summary(...parts: HistogramData[]): LatencySummary {
  const all = new Histogram()
  for (const part of parts) all.add(part)
  return all.summary()
}

/** What `ingest` found last; null when it was not run. */
function bestKnownRate(): number | null {
  try {
    const { data } = JSON.parse(readFileSync(join(RESULTS, 'ingest.json'), 'utf8')) as { data: { best: number } }
    return data.best > 0 ? data.best : null
  } catch {
    return null
  }
}

function report(size: Size, plan: Plan, levels: Level[], best: number | null, postgres: string): BenchReport {
  const cells = (s: LatencySummary) => [s.p50, s.p99, s.p999, s.max]
  const half = levels.at(-1)!
  const lost = levels.reduce((sum, { lost: l }) => sum + l.puback + l.stored + l.browser, 0)
  const table = (title: string, pick: (level: Level) => LatencySummary) => ({
    title,
    head: ['msg/s', 'n', 'p50 ms', 'p99', 'p99.9', 'max'],
    rows: levels.map(level => [level.label, pick(level).n, ...cells(pick(level))]),
  })
  return {
    tables: [
      table('Publish → PUBACK (all messages)', level => level.puback),
      table('Publish → readable over REST (probes)', level => level.stored),
      table('Publish → live socket (probes)', level => level.browser),
    ],
    goals: [
      atMost('stored p99 at half load', half.stored.p99, 50, 'ms'),
      atMost('live p99 at half load', half.browser.p99, 100, 'ms'),
      atMost('probes that never came', lost, 0, ''),
    ],
    notes: [
      `Counted from the time a message was due, not from when it left. ${plan.probeRate} probes a second of ${plan.probes} devices are part of the load.`,
      'Stored: GET /devices/{id}/telemetry/raw is asked when the PUBACK is there; the time of the request is in it.',
      'Live: the patch has arrived at the WebSocket client; a browser paints it with its next frame.',
      'A percentile is named when at least three values lie above it.',
      ...(best === null ? ['`ingest` has no result here, so half of the rate that is owed was taken.'] : []),
    ],
    versions: { PostgreSQL: postgres },
    data: { size, plan, bestRate: best, levels },
  }
}
