import { accepts } from '../cold/start-watch.ts'
import { atMost, type Bench, type BenchReport, type BenchTable, type Size, seconds, until } from '../core/bench.ts'
import { type Meter, Site } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'
import { settled } from '../ingest/window.ts'
import { type Filled, fillFolder } from './fill.ts'
import { type RecoveryTimes, type Steps, stepsOf, watchRecovery } from './recovery-watch.ts'

interface Plan {
  devices: number
  messages: number
  /** Messages a second before the end, and for how long at most: until the log to read again is about as long as it gets. */
  rate: number
  loadSeconds: number
  repeats: number
}

const PLANS: Record<Size, Plan> = {
  S: { devices: 500, messages: 60_000, rate: 1_000, loadSeconds: 4, repeats: 1 },
  M: { devices: 10_000, messages: 10_000_000, rate: 15_000, loadSeconds: 100, repeats: 2 },
}
const CASES = ['stopped in order', 'kill -9 of everything', 'kill -9 of PostgreSQL'] as const
type Case = (typeof CASES)[number]

interface Start {
  name: Case
  /** Written since the last checkpoint's beginning, which a start after a kill reads again. */
  replayMb: number
  times: RecoveryTimes
  steps: Steps
}

export const full: Bench = {
  name: 'full',
  summary: 'starts on a folder with 10 million messages and 10,000 devices: in order, after kills under load',
  async run({ size, say }) {
    const plan = PLANS[size]
    // What PostgreSQL says of its own steps is on that level.
    const site = await Site.open({ LOG_LEVEL: 'debug' })
    const generator = await Generator.start()
    try {
      const { meters } = await site.meters(plan.devices)
      const filled = await fillFolder(site, meters, plan.messages)
      say(`${filled.messages} messages, ${filled.sealedSegments} segments of history in ${filled.seconds} s`)
      await site.crashAndRestart()
      await settled(site)
      const starts: Start[] = []
      for (let i = 0; i < plan.repeats; i++)
        for (const name of CASES) {
          // Of devices that the server does not know by heart: each pair comes once.
          const visitors = meters.slice(starts.length * 2, starts.length * 2 + 2)
          const start = await oneStart(
            name,
            plan,
            site,
            generator,
            visitors,
            meters.slice(plan.repeats * CASES.length * 2),
          )
          starts.push(start)
          say(`  ${name}: ${JSON.stringify(start)}`)
        }
      return report(plan, filled, starts, await site.postgresVersion())
    } catch (error) {
      say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      generator.stop()
      await site.close()
    }
  },
}

/** All devices are connected and send; the end comes; one of them comes back as soon as it can. */
async function oneStart(
  name: Case,
  plan: Plan,
  site: Site,
  generator: Generator,
  [visitor, sender]: readonly Meter[],
  others: readonly Meter[],
): Promise<Start> {
  const { installation } = site
  const visitors = [visitor!.identity, sender!.identity] as const
  await generator.connect(
    installation.mqttPort,
    others.map(meter => meter.identity),
  )
  await generator.pace(plan.rate)
  if (name === 'stopped in order') await seconds(Math.min(10, plan.loadSeconds))
  else await writeUpToACheckpoint(site, plan)
  const replayMb = name === 'stopped in order' ? 0 : Math.round((await bytesToReplay(site)) / 1e6)
  if (name === 'kill -9 of PostgreSQL') {
    const began = performance.now()
    installation.kill('postgres')
    const times = await watchRecovery(installation, began, visitors)
    await generator.pace(0)
    await site.reconnect()
    await generator.disconnect()
    await settled(site)
    return { name, replayMb, times, steps: { ...stepsOf(installation.log), main: {}, gateway: {} } }
  }
  await site.leave()
  if (name === 'stopped in order') {
    await generator.pace(0)
    await installation.stop()
  } else {
    installation.kill('everything')
    await installation.exited()
    await generator.pace(0)
    await until(async () => !(await accepts(installation.mqttPort)), 5_000)
  }
  await generator.disconnect()
  const began = performance.now()
  installation.spawn()
  const times = await watchRecovery(installation, began, visitors)
  const steps = stepsOf(installation.log)
  await site.reconnect()
  await settled(site)
  return { name, replayMb, times, steps }
}

/** Loads until a checkpoint was completed and the log behind the next is nearly as long as it was before that. */
async function writeUpToACheckpoint(site: Site, { loadSeconds }: Plan): Promise<void> {
  let longest = 0
  let peak: number | null = null
  const enough = async () => {
    const bytes = await bytesToReplay(site)
    if (peak === null && bytes < longest / 2) peak = longest
    longest = Math.max(longest, bytes)
    return peak !== null && bytes >= peak * 0.95
  }
  await until(enough, loadSeconds * 1000, 250)
}

async function bytesToReplay(site: Site): Promise<number> {
  const [row] = await site.sql<{ bytes: number }>(
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()',
  )
  return row!.bytes
}

function report(plan: Plan, filled: Filled, starts: readonly Start[], postgres: string): BenchReport {
  const slowest = (name: Case) => Math.max(...starts.filter(start => start.name === name).map(s => s.times.letInMs))
  return {
    tables: [
      {
        title: `ms from the start of the process (of the kill, where only PostgreSQL was killed); ${plan.devices} devices, ${filled.messages} messages`,
        head: ['end', 'log to read again, MB', 'PostgreSQL accepts', 'device let in', 'first stored', 'ready'],
        rows: starts.map(({ name, replayMb, times }) => [
          name,
          replayMb,
          times.databaseMs,
          times.letInMs,
          times.storedMs,
          times.readyMs,
        ]),
      },
      stepTable('Steps of PostgreSQL, ms', starts, 'postgres'),
      stepTable('Steps of the main process, ms', starts, 'main'),
      stepTable('Steps of the gateway process, ms', starts, 'gateway'),
    ],
    goals: CASES.map(name => atMost(`device let in, ${name}, slowest`, slowest(name), 2_000, 'ms')),
    notes: [
      `The folder: ${filled.messages} messages of the last hours, ${filled.unsealed} of them not sealed, ${filled.sealedSegments} segments of history; multiplied by SQL from what one device sent.`,
      `Before each end ${plan.devices - plan.repeats * CASES.length * 2} devices are connected and send ${plan.rate} messages a second together; before a kill until the log to read again is about as long as it gets, or for ${plan.loadSeconds} s.`,
      'The log of the server is written at the level debug.',
    ],
    versions: { PostgreSQL: postgres },
    data: { plan, filled, starts },
  }
}

function stepTable(title: string, all: readonly Start[], part: keyof Steps): BenchTable {
  const starts = all.filter(start => Object.keys(start.steps[part]).length > 0)
  const names = [...new Set(starts.flatMap(start => Object.keys(start.steps[part])))]
  return {
    title,
    head: ['end', ...names],
    rows: starts.map(({ name, steps }) => [name, ...names.map(step => steps[part][step] ?? '-')]),
  }
}
