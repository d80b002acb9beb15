import { atLeast, atMost, type Bench, type BenchOptions, type BenchReport, type Size, seconds } from '../core/bench.ts'
import { profile } from '../core/profiler.ts'
import { type Meter, Site, VALUES_PER_MESSAGE } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'
import { type CompareRound, compare, flatness } from './compare.ts'
import { type DurableCheck, durableAcrossCrash, type LossCheck, nothingLost } from './durability.ts'
import { bestRate, climb, type Step } from './ladder.ts'
import { type Qos0Cost, qos0Cost } from './qos0.ts'
import { drain } from './window.ts'

interface Plan {
  /** Connections of the ladder, and the two between which the cost may not grow. */
  connections: number
  few: number
  many: number
  rates: number[]
  warmSeconds: number
  seconds: number
  /** Rate of the comparisons, messages a second. */
  steadyRate: number
  rounds: number
}

const PLANS: Record<Size, Plan> = {
  S: {
    connections: 1_000,
    few: 500,
    many: 2_000,
    rates: [2_000, 5_000, 10_000, 20_000, 25_000, 30_000, 35_000],
    warmSeconds: 1,
    seconds: 2,
    steadyRate: 5_000,
    rounds: 1,
  },
  M: {
    connections: 5_000,
    few: 1_000,
    many: 10_000,
    rates: [1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 25_000, 27_500, 30_000, 32_500, 35_000, 40_000],
    warmSeconds: 2,
    seconds: 10,
    steadyRate: 10_000,
    rounds: 2,
  },
}

const WARM_UP_RATE = 2_000

export const ingest: Bench = {
  name: 'ingest',
  summary: 'durable messages over MQTT: highest rate, CPU per message, flatness over devices, peers',
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

async function run(options: BenchOptions, plan: Plan, site: Site, generator: Generator): Promise<BenchReport> {
  const { say } = options
  const { meters } = await site.meters(Math.max(plan.connections, plan.many))
  const identities = (of: readonly Meter[]) => of.map(meter => meter.identity)

  const ladderMeters = meters.slice(0, plan.connections)
  const connectSeconds = await generator.connect(site.installation.mqttPort, identities(ladderMeters))
  say(`${plan.connections} devices connected in ${connectSeconds.toFixed(1)} s`)
  // Code that has run a few thousand times runs faster; nobody's first minute is meant here.
  await generator.pace(WARM_UP_RATE)
  await seconds(plan.seconds * 2)
  await generator.pace(0)
  await drain(generator)
  const target = { pid: site.installation.pid, site }
  const steps = await climb(generator, target, { ...plan, onStep: step => say(describe(step)) })
  const loss = await nothingLost(site, generator, ladderMeters)
  say(`after the ladder: ${loss.acknowledged} acknowledged, ${loss.missing} missing, ${loss.surplus} stored twice`)
  if (options.profile) await takeProfiles(options.profile, plan, site, generator, say)
  await generator.disconnect()

  const rounds = await compare(site, generator, meters, plan, say)
  const qos0 = await qos0Cost(site, generator, meters.slice(0, plan.few), plan)
  say(`QoS 0: ${qos0.microsPerMessage} µs/msg, ${qos0.stored} of ${qos0.sent} stored`)
  const best = bestRate(steps)
  const crashRate = Math.max(1_000, Math.round(best / 2))
  const crash = await durableAcrossCrash(site, generator, ladderMeters, crashRate)
  say(
    `kill -9 of everything at ${crashRate} msg/s: ${crash.acknowledged} acknowledged, ${crash.missing} missing after the restart`,
  )

  return report(options.size, plan, {
    steps,
    best,
    connectSeconds,
    loss,
    qos0,
    crash,
    rounds,
    postgres: await site.postgresVersion(),
  })
}

/** Profiles under steady load; after the ladder, because profiling costs. */
async function takeProfiles(
  folder: string,
  plan: Plan,
  site: Site,
  generator: Generator,
  say: BenchOptions['say'],
): Promise<void> {
  await generator.pace(plan.steadyRate)
  for (const which of ['gateway', 'main'] as const)
    say(`profile written to ${await profile(site.installation.pid, which, plan.seconds, folder)}`)
  await generator.pace(0)
  await drain(generator)
}

interface Found {
  steps: Step[]
  best: number
  connectSeconds: number
  loss: LossCheck
  qos0: Qos0Cost
  crash: DurableCheck
  rounds: CompareRound[]
  postgres: string
}

function report(size: Size, plan: Plan, found: Found): BenchReport {
  const { steps, best, loss, crash, rounds } = found
  const top = steps.find(step => step.rate === best && step.sustained)
  const flat = flatness(rounds)
  const mosquitto = rounds.flatMap(round => (round.mosquitto ? [round.mosquitto] : []))
  const version = rounds.find(round => round.mosquittoVersion)?.mosquittoVersion
  return {
    tables: [
      {
        title: `Ladder: ${plan.connections} connections, 87 bytes, 3 values, QoS 1, acknowledged after commit`,
        head: [
          'msg/s',
          'acked/s',
          'CPU µs/msg',
          'cores',
          'PUBACK p50',
          'p99 ms',
          'WAL B/msg',
          'PSS MB',
          'lag rows',
          'sustained',
        ],
        rows: steps.map(s => [
          s.rate,
          s.acknowledged,
          s.cpu.microsPerMessage,
          s.cpu.cores,
          s.pubackMs.p50,
          s.pubackMs.p99,
          s.walBytesPerMessage,
          s.pssMb,
          s.consumerLag,
          s.sustained ? 'yes' : s.why,
        ]),
      },
      {
        title: 'Where the CPU goes, µs a message',
        head: ['msg/s', ...partsOf(steps), 'generator'],
        rows: steps.map(s => [s.rate, ...partsOf(steps).map(part => s.cpu.parts[part] ?? 0), s.generatorMicros]),
      },
      {
        title: `Side by side at ${plan.steadyRate} msg/s`,
        head: [
          'round',
          'connections',
          'ours µs/msg',
          'of it PG µs/value',
          'Mosquitto µs/msg',
          'TB shape PG µs/value',
          'TB WAL B/value',
        ],
        rows: rounds.map(r => [
          r.round,
          r.connections,
          r.ours.cpu.microsPerMessage,
          r.ours.postgresMicrosPerValue,
          r.mosquitto?.cpu.microsPerMessage ?? 'not run',
          r.thingsboard.microsPerValue,
          r.thingsboard.walBytesPerValue,
        ]),
      },
    ],
    goals: [
      atLeast('durable rate', best, 25_000, 'msg/s'),
      atMost('CPU of the whole server at that rate', top?.cpu.microsPerMessage ?? null, 60, 'µs/msg'),
      atMost(`growth of CPU from ${plan.few} to ${plan.many} connections`, flat, 5, '%'),
      atMost('acknowledged messages that are missing', loss.missing + crash.missing, 0, ''),
      atMost('messages stored twice', loss.surplus, 0, ''),
    ],
    notes: [
      'The CPU is that of all processes of the server with PostgreSQL; the generator runs beside it on the same CPUs.',
      `QoS 0 at ${plan.steadyRate} msg/s and ${plan.few} connections: ${found.qos0.microsPerMessage} µs a message, ${found.qos0.stored} of ${found.qos0.sent} stored.`,
      'Sealing happens an hour later and is measured in `history`.',
      ...(mosquitto.length
        ? [
            'Mosquitto forgets a message nobody subscribed to and acknowledges before anything is on a disk; it is a mark for the cost of sockets and sessions.',
          ]
        : ['Mosquitto: not run (it is not on this machine).']),
      ...(size === 'S' ? ['Size S proves that the harness works; the published figures are those of size M.'] : []),
    ],
    versions: { PostgreSQL: found.postgres, ...(version ? { Mosquitto: version } : {}) },
    data: { plan, valuesPerMessage: VALUES_PER_MESSAGE, flatnessPercent: flat, ...found },
  }
}

function partsOf(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap(step => Object.keys(step.cpu.parts)))].sort()
}

function describe(step: Step): string {
  const verdict = step.sustained ? 'sustained' : `not sustained: ${step.why}`
  return `  ${step.rate} msg/s: ${step.cpu.microsPerMessage} µs/msg, PUBACK p99 ${step.pubackMs.p99 ?? '-'} ms, ${verdict}`
}
