import { join } from 'node:path'
import {
  atLeast,
  atMost,
  type Bench,
  type BenchOptions,
  type BenchReport,
  type Size,
  seconds,
  until,
} from '../core/bench.ts'
import { ChildTool } from '../core/child-process.ts'
import { Histogram, type LatencySummary } from '../core/histogram.ts'
import { type CpuUse, cpuBetween, readCpu } from '../core/meter.ts'
import { Site } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'
import { drain } from '../ingest/window.ts'
import { type FromSinks, type Manner, SINKS, type SinkName, type ToSinks } from './messages.ts'

interface Plan {
  devices: number
  rate: number
  seconds: number
}

const PLANS: Record<Size, Plan> = {
  S: { devices: 500, rate: 5_000, seconds: 12 },
  M: { devices: 1_000, rate: 5_000, seconds: 60 },
}
const WARM_SECONDS = 4
const LONGEST_DRAIN_MS = 300_000
const SECRET = 'secret-of-the-benchmark-receiver'
const HEALTHY = ['mqtt', 'nats'] as const

interface Phase {
  name: string
  /** Messages of devices that were acknowledged, a second. */
  accepted: number
  /** Items a second that arrived for the first time. */
  rates: Record<SinkName, number>
  lag: Record<SinkName, LatencySummary>
  cpu: CpuUse
  sinkCores: number
}

interface Subscriptions {
  webhook: string
  mqtt: string
  nats: string
}

type Sinks = ChildTool<ToSinks, FromSinks>

export const forward: Bench = {
  name: 'forward',
  summary: '5,000 messages a second forwarded to a webhook, an MQTT and a NATS receiver, one of which fails',
  async run(options) {
    const plan = PLANS[options.size]
    const site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.0/8' })
    const generator = await Generator.start()
    const sinks: Sinks = await ChildTool.start(join(import.meta.dirname, 'sinks.main.ts'))
    try {
      return await run(options, plan, site, generator, sinks)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      sinks.stop()
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
  sinks: Sinks,
): Promise<BenchReport> {
  const { productId, meters } = await site.meters(plan.devices)
  const ids = await subscribe(site, productId, sinks)
  await generator.connect(
    site.installation.mqttPort,
    meters.map(({ identity }) => identity),
  )
  const phases: Phase[] = []
  const phase = async (name: string, manner: Manner) => {
    await sinks.ask({ type: 'behave', manner }, 'done')
    const measured = await measure(name, plan, site, generator, sinks)
    phases.push(measured)
    const parts = SINKS.map(sink => `${sink} ${measured.rates[sink]}/s, lag p99 ${measured.lag[sink].p99 ?? '-'} ms`)
    say(`  ${name}: accepted ${measured.accepted}/s; ${parts.join('; ')}; server ${measured.cpu.cores} cores`)
  }
  await generator.pace(plan.rate)
  await seconds(WARM_SECONDS)
  await phase('all healthy', 'take')
  await phase('webhook hangs', 'hang')
  await phase('webhook answers 500', 'refuse')
  await generator.pace(0)
  // Counted when everything sent is acknowledged: what is acknowledged after the count would hide as many losses.
  if ((await drain(generator)) === null) throw new Error('the devices wait for acknowledgements that do not come')

  // The failing one is there again: it has to catch up with everything.
  const load = await generator.read()
  await sinks.ask({ type: 'behave', manner: 'take' }, 'done')
  const waiting = load.acked - (await counts(sinks)).webhook.items
  await site.api.post(`/subscriptions/${ids.webhook}/resume`, {})
  const began = performance.now()
  const cpuBefore = readCpu(site.installation.pid)
  const whole = await until(
    async () => {
      const now = await counts(sinks)
      return SINKS.every(sink => now[sink].items >= load.acked)
    },
    LONGEST_DRAIN_MS,
    200,
  )
  const drainSeconds = (performance.now() - began) / 1000
  const drainCpu = cpuBetween(cpuBefore, readCpu(site.installation.pid), waiting)
  const end = await counts(sinks)
  say(`  caught up on ${waiting} items in ${drainSeconds.toFixed(1)} s${whole ? '' : ' (not all of them)'}`)
  return report(size, plan, phases, {
    acked: load.acked,
    waiting,
    drainSeconds,
    drainCpu,
    end,
    postgres: await site.postgresVersion(),
  })
}

async function counts(sinks: Sinks): Promise<Extract<FromSinks, { type: 'figures' }>['sinks']> {
  return (await sinks.ask({ type: 'read' }, 'figures')).sinks
}

/** One subscription for each receiver, all of them to every message. */
async function subscribe(site: Site, productId: string, sinks: Sinks): Promise<Subscriptions> {
  const { webhookUrl, natsUrl } = await sinks.ask({ type: 'open', secret: SECRET }, 'opened')
  const create = (name: SinkName, target: object) =>
    site.api.post<{ id: string; credentials?: { username?: string; password?: string } }>('/subscriptions', {
      name,
      kinds: ['property'],
      filter: { productIds: [productId] },
      target: { kind: name, ...target },
    })
  const webhook = await create('webhook', { url: webhookUrl, secret: SECRET })
  const nats = await create('nats', { url: natsUrl, subject: 'devices.{deviceNo}' })
  const mqtt = await create('mqtt', {})
  const { username = '', password = '' } = mqtt.credentials ?? {}
  await sinks.ask({ type: 'sign-in', port: site.installation.mqttPort, username, password }, 'done')
  return { webhook: webhook.id, mqtt: mqtt.id, nats: nats.id }
}

async function measure(name: string, plan: Plan, site: Site, generator: Generator, sinks: Sinks): Promise<Phase> {
  const before = await sinks.ask({ type: 'read' }, 'figures')
  const sentBefore = await generator.read()
  const cpuBefore = readCpu(site.installation.pid)
  const began = performance.now()
  await seconds(plan.seconds)
  const cpuAfter = readCpu(site.installation.pid)
  const after = await sinks.ask({ type: 'read' }, 'figures')
  const took = (performance.now() - began) / 1000
  const { acked, unexpected } = await generator.read()
  const accepted = acked - sentBefore.acked
  if (unexpected.count > 0) throw new Error(`devices: ${unexpected.first.join('; ')}`)
  const of = <T>(pick: (sink: SinkName) => T) =>
    Object.fromEntries(SINKS.map(sink => [sink, pick(sink)])) as Record<SinkName, T>
  return {
    name,
    accepted: Math.round(accepted / took),
    rates: of(sink => Math.round(after.sinks[sink].fresh / took)),
    lag: of(sink => {
      const lag = new Histogram()
      lag.add(after.sinks[sink].lag)
      return lag.summary()
    }),
    cpu: cpuBetween(cpuBefore, cpuAfter, accepted),
    sinkCores: Math.round(((after.cpuSeconds - before.cpuSeconds) / took) * 100) / 100,
  }
}

function report(
  size: Size,
  plan: Plan,
  phases: Phase[],
  end: {
    acked: number
    waiting: number
    drainSeconds: number
    drainCpu: CpuUse
    end: Awaited<ReturnType<typeof counts>>
    postgres: string
  },
): BenchReport {
  const [healthy, ...failing] = phases as [Phase, ...Phase[]]
  const lossOf = (sink: SinkName) => end.acked - end.end[sink].items
  const lost = SINKS.reduce((sum, sink) => sum + Math.max(0, lossOf(sink)), 0)
  const disorder = SINKS.reduce((sum, sink) => sum + end.end[sink].outOfOrder, 0)
  const faults = SINKS.flatMap(sink => end.end[sink].faults.map(fault => `${sink}: ${fault}`))
  const kept = Math.min(
    ...failing.flatMap(({ rates }) => HEALTHY.map(sink => (rates[sink] / Math.max(1, healthy.rates[sink])) * 100)),
  )
  const worstLag = Math.max(...failing.flatMap(({ lag }) => HEALTHY.map(sink => lag[sink].p99 ?? 0)))
  const drainRate = Math.round(end.waiting / end.drainSeconds)
  const counted = SINKS.map(sink => {
    const { items, repeated, outOfOrder } = end.end[sink]
    return { sink, items, repeated, outOfOrder }
  })
  return {
    tables: [
      {
        title: `Forwarded at ${plan.rate} messages a second to three receivers`,
        head: ['phase', 'accepted/s', ...SINKS.map(sink => `${sink}/s`), 'server cores', 'µs/message'],
        rows: phases.map(({ name, accepted, rates, cpu }) => [
          name,
          accepted,
          ...SINKS.map(sink => rates[sink]),
          cpu.cores,
          cpu.microsPerMessage,
        ]),
      },
      {
        title: 'Lag: from the time the device’s message was due to its arrival at the receiver, ms',
        head: ['phase', 'receiver', 'n', 'p50', 'p99', 'p99.9', 'max'],
        rows: phases.flatMap(({ name, lag }) =>
          SINKS.map(sink => [name, sink, lag[sink].n, lag[sink].p50, lag[sink].p99, lag[sink].p999, lag[sink].max]),
        ),
      },
      {
        title: 'In the end',
        head: ['receiver', 'messages', 'arrived', 'lost', 'more than once', 'devices out of order'],
        rows: SINKS.map(sink => [
          sink,
          end.acked,
          end.end[sink].items,
          lossOf(sink),
          end.end[sink].repeated,
          end.end[sink].outOfOrder,
        ]),
      },
    ],
    goals: [
      atLeast(
        'messages forwarded to each of three healthy receivers',
        Math.min(...SINKS.map(s => healthy.rates[s])),
        plan.rate * 0.98,
        '/s',
      ),
      atLeast('what healthy receivers keep while another fails', Math.round(kept * 10) / 10, 90, '%'),
      atMost('lag p99 of healthy receivers while another fails', worstLag, 1_000, 'ms'),
      atMost('messages lost', lost, 0, ''),
      atMost('devices out of order', disorder, 0, ''),
      atMost('faults seen by the receivers', faults.length, 0, ''),
    ],
    notes: [
      'Every message goes to all three receivers: 15,000 deliveries a second. Receivers, devices and server share the machine.',
      'Receivers are simulators in one process of their own; they check signatures, protocol and order. Their clock is read every 5 ms.',
      `The failing webhook caught up on ${end.waiting} items at ${drainRate}/s once it was there again, for ${end.drainCpu.microsPerMessage} µs of the server each.`,
      ...faults,
    ],
    versions: { PostgreSQL: end.postgres },
    data: {
      size,
      plan,
      phases,
      acked: end.acked,
      drainRate,
      drainCpu: end.drainCpu,
      waiting: end.waiting,
      end: counted,
    },
  }
}
