import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, seconds, until } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { cpuBetween, readCpu } from '../core/meter.ts'
import { profile } from '../core/profiler.ts'
import { type Meter, Site } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'
import { bulkLoad } from '../history/bulk-load.ts'
import { LiveProbes } from './live-probes.ts'

interface Plan {
  devices: number
  triggers: number
  /** Of the devices, those that send. */
  connections: number
  rate: number
  seconds: number
  probes: number
  probeSeconds: number
  changes: number
}

const PLANS: Record<Size, Plan> = {
  S: {
    devices: 10_000,
    triggers: 10_000,
    connections: 2_000,
    rate: 5_000,
    seconds: 12,
    probes: 20,
    probeSeconds: 260,
    changes: 20,
  },
  M: {
    devices: 10_000,
    triggers: 10_000,
    connections: 10_000,
    rate: 20_000,
    seconds: 30,
    probes: 50,
    // Longer than the database needs from one checkpoint to the next at this rate.
    probeSeconds: 600,
    changes: 50,
  },
}
/** Devices that a rule looks at, and rules that look at a device. */
const EACH = 10
/** In one group of so many, one rule raises and clears as the counter passes. */
const CHANGING = 40
const WARM_SECONDS = 8
/** One message in so many changes a state. */
const CHANGED_ONE_IN = 1_000
const DAY_MS = 86_400_000
/** Of the dry run: a value a minute over a week. */
const PAST = { devices: 100, days: 7 }

/** Rules of every make over the three values of a meter; only the seventh changes its state, in a few groups. */
function forms(group: number): object[] {
  return [
    { kind: 'above', property: 'pulseCounter', high: 2_000_000 },
    { kind: 'below', property: 'batteryLevel', low: 5 },
    { kind: 'outside', property: 'batteryLevel', low: 1, high: 120 },
    { kind: 'above_until_below', property: 'pulseCounter', high: 2_000_000, low: 50_000 },
    { kind: 'above_for', property: 'batteryLevel', high: 120, minutes: 5 },
    { kind: 'on', property: 'leakage' },
    { kind: 'equal', property: 'pulseCounter', value: group % CHANGING === 0 ? 100_025 : 1 },
    {
      kind: 'general',
      condition: {
        type: 'all',
        of: [
          { type: 'compare', property: 'pulseCounter', op: 'gt', value: 1_900_000 },
          { type: 'compare', property: 'batteryLevel', op: 'lt', value: 20 },
        ],
      },
    },
    { kind: 'general', condition: { type: 'no_data', seconds: 3_600 } },
    { kind: 'general', condition: { type: 'rate', property: 'pulseCounter', op: 'gt', perMinute: 1e9 } },
  ]
}

/** Made by SQL, as they would be over the API: ten thousand requests would measure the API. */
async function makeTriggers(site: Site, meters: readonly Meter[], count: number): Promise<void> {
  const rows: { name: string; kind: string; document: object }[] = []
  for (let group = 0; rows.length < count; group++) {
    const deviceIds = meters.slice(group * EACH, (group + 1) * EACH).map(({ id }) => id)
    for (const [i, form] of forms(group).entries())
      rows.push({
        name: `Group ${group} rule ${i}`,
        kind: (form as { kind: string }).kind,
        document: { format: 1, scope: { deviceIds }, alarm: { level: 2 }, ...form },
      })
  }
  for (let i = 0; i < rows.length; i += 1_000)
    await site.sql(
      `insert into triggers (id, tenant_id, name, document, kind)
       select gen_random_uuid(), (select tenant_id from devices where id = $2), v.name, v.document, v.kind
       from jsonb_to_recordset($1::jsonb) as v(name text, kind text, document jsonb)`,
      [JSON.stringify(rows.slice(i, i + 1_000)), meters[0]!.id],
    )
}

interface Window {
  microseconds: number
  parts: Record<string, number>
  sent: number
  runs: number
}

/** The CPU of the whole server for each message at a steady rate. */
async function window(
  plan: Plan,
  site: Site,
  generator: Generator,
  meters: readonly Meter[],
  profileFolder: string | null = null,
): Promise<Window> {
  await generator.connect(
    site.installation.mqttPort,
    meters.slice(0, plan.connections).map(({ identity }) => identity),
  )
  await generator.pace(plan.rate)
  await seconds(WARM_SECONDS)
  const runsOf = async () => (await site.sql<{ n: number }>('select count(*)::int as n from trigger_runs'))[0]!.n
  const [first, runs] = [await generator.read(), await runsOf()]
  const before = readCpu(site.installation.pid)
  await seconds(plan.seconds)
  const after = readCpu(site.installation.pid)
  const last = await generator.read()
  const sent = last.acked - first.acked
  const cpu = cpuBetween(before, after, sent)
  if (profileFolder) await profile(site.installation.pid, 'main', plan.seconds, profileFolder)
  await generator.pace(0)
  await seconds(1)
  const made = (await runsOf()) - runs
  await generator.disconnect()
  return { microseconds: cpu.microsPerMessage, parts: cpu.parts, sent, runs: made }
}

/** From the reply that a trigger was switched on or off to the alarm that follows from it. */
async function changedRules(site: Site, meter: Meter, changes: number): Promise<Histogram> {
  const took = new Histogram()
  const { id } = await site.api.post<{ id: string }>('/triggers', {
    name: 'Switched on and off',
    enabled: false,
    scope: { deviceIds: [meter.id] },
    kind: 'above',
    property: 'batteryLevel',
    high: 1,
    alarm: { level: 1 },
  })
  const active = async () =>
    (await site.sql<{ n: number }>('select count(*)::int as n from alarms where trigger_id = $1 and active', [id]))[0]!
      .n
  for (let i = 0; i < changes; i++) {
    await site.api.post(`/triggers/${id}/enable`, {})
    const began = performance.now()
    if (!(await until(async () => (await active()) === 1, 60_000, 10))) {
      const [seen] = await site.sql(
        'select state_of.*, a.n from (select enabled, fault from triggers where id = $1) state_of, (select count(*) n from alarms where trigger_id = $1) a',
        [id],
      )
      throw new Error(`no alarm a minute after a rule was enabled: ${JSON.stringify(seen)}`)
    }
    took.record(performance.now() - began)
    await site.api.post(`/triggers/${id}/disable`, {})
    await until(async () => (await active()) === 0, 10_000, 10)
  }
  return took
}

interface DryRun {
  rows: number
  alarms: number
  seconds: number
  /** Of another request that was asked all the while, ms. */
  othersMs: number
}

/** A week of a hundred devices. The past comes in through the front door. */
async function dryRun(site: Site, meters: readonly Meter[], say: (line: string) => void): Promise<DryRun> {
  const devices = meters.slice(0, PAST.devices)
  const [to, perDevice] = [Date.now(), PAST.days * 1_440]
  const from = to - PAST.days * DAY_MS
  await bulkLoad(
    site.installation.mqttPort,
    devices.map(({ identity }) => identity),
    { perDevice, from, to, perPublish: 120 },
    share => say(`  past of ${devices.length} devices: ${Math.round(share * 100)} %`),
  )
  await until(async () => Object.values(await site.consumerLag()).every(lag => lag === 0), 120_000, 500)
  const began = performance.now()
  let isOver = false
  const running = site.api
    .post<{ rows: number; alarms: unknown[]; moreAlarms: number }>('/triggers/dry-run', {
      trigger: {
        scope: { deviceIds: devices.map(({ id }) => id) },
        kind: 'on',
        property: 'leakage',
        alarm: { level: 2 },
      },
      from,
      to: to + 60_000,
    })
    .finally(() => {
      isOver = true
    })
  let othersMs = 0
  while (!isOver) {
    const asked = performance.now()
    await site.api.get('/me')
    othersMs = Math.max(othersMs, performance.now() - asked)
    await seconds(0.02)
  }
  const { rows, alarms, moreAlarms } = await running
  return { rows, alarms: alarms.length + moreAlarms, seconds: (performance.now() - began) / 1_000, othersMs }
}

const round = (number: number, digits = 1) => Math.round(number * 10 ** digits) / 10 ** digits

export const triggers: Bench = {
  name: 'triggers',
  summary: '10,000 triggers over 10,000 devices: cost a message, publish → alarm, changed rules, a dry run of a week',
  async run(options) {
    const site = await Site.open()
    const generator = await Generator.start()
    try {
      return await measure(options, PLANS[options.size], site, generator)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      generator.stop()
      await site.close()
    }
  },
}

async function measure(
  { say, size, profile: profileFolder }: BenchOptions,
  plan: Plan,
  site: Site,
  generator: Generator,
): Promise<BenchReport> {
  const { meters } = await site.meters(plan.devices + plan.probes + PAST.devices)
  const probes = meters.slice(plan.devices, plan.devices + plan.probes)
  // Both windows follow a start: code that is compiled yet and caches that are warm would favour the first one.
  await site.crashAndRestart()
  const without = await window(plan, site, generator, meters, profileFolder && join(profileFolder, 'without'))
  say(`  without triggers: ${without.microseconds} µs a message`)
  await makeTriggers(site, meters, plan.triggers)
  const started = await site.crashAndRestart()
  const [last] = await site.sql<{ id: string }>(`select id from triggers order by name desc limit 1`)
  const isWatched = async () =>
    (await site.sql<{ packed: Buffer }>('select packed from trigger_engine where packed is not null')).some(
      ({ packed }) => gunzipSync(packed).includes(last!.id),
    )
  if (!(await until(isWatched, 180_000, 500))) throw new Error('the triggers were not taken up')
  const faults = (await site.sql<{ n: number }>('select count(*)::int as n from triggers where fault is not null'))[0]!
    .n
  if (faults > 0) throw new Error(`${faults} triggers cannot be judged`)
  const withAll = await window(plan, site, generator, meters, profileFolder && join(profileFolder, 'with'))
  say(`  with ${plan.triggers} triggers: ${withAll.microseconds} µs a message, ${withAll.runs} raised or cleared`)
  await generator.connect(
    site.installation.mqttPort,
    meters.slice(0, plan.connections).map(({ identity }) => identity),
  )
  await generator.pace(plan.rate / 2)
  await seconds(2)
  const live = await LiveProbes.open(site, probes)
  // As many changes as the goal is set for: one message in a thousand. A raise and its clear are two.
  const everyMs = (2 * plan.probes * 1_000 * CHANGED_ONE_IN) / (plan.rate / 2)
  const figures = await live.run(plan.probeSeconds, everyMs)
  await live.close()
  say(
    `  publish → row p99 ${figures.row.percentile(99)} ms, → live ${figures.live.percentile(99)} ms, lost ${figures.lost}`,
  )
  say(`  behind: ${JSON.stringify(await site.consumerLag())}`)
  const changed = await changedRules(site, meters[0]!, plan.changes)
  await generator.pace(0)
  // Last, so that nothing else is measured while its past is being sealed.
  const dry = await dryRun(site, meters.slice(plan.devices + plan.probes), say)
  say(`  dry run: ${dry.rows} rows in ${round(dry.seconds)} s`)
  const [row, seen, rule] = [figures.row.summary(), figures.live.summary(), changed.summary()]
  const extra = round(withAll.microseconds - without.microseconds)
  const cells = (s: typeof row) => [s.n, s.p50, s.p99, s.max]
  return {
    tables: [
      {
        title: `CPU of the whole server a message at ${plan.rate} messages a second, µs`,
        head: ['triggers', 'messages', 'µs', 'raised or cleared'],
        rows: [
          [0, without.sent, without.microseconds, 0],
          [plan.triggers, withAll.sent, withAll.microseconds, withAll.runs],
        ],
      },
      {
        title: `At ${plan.rate / 2} messages a second, ms`,
        head: ['from → to', 'n', 'p50', 'p99', 'max'],
        rows: [
          ['publish → alarm row', ...cells(row)],
          ['publish → live socket', ...cells(seen)],
          ['trigger switched on → alarm', ...cells(rule)],
        ],
      },
      {
        title: `Dry run over ${PAST.devices} devices and ${PAST.days} days, a value a minute`,
        head: ['rows', 'alarms', 'seconds', 'longest other request, ms'],
        rows: [[dry.rows, dry.alarms, round(dry.seconds, 2), round(dry.othersMs)]],
      },
    ],
    goals: [
      atMost('more CPU a message', extra, 10, 'µs'),
      atMost('publish → alarm row p99', row.p99, 250, 'ms'),
      atMost('publish → live p99', seen.p99, 300, 'ms'),
      atMost('a changed rule applies, longest', rule.max, 1_000, 'ms'),
      atMost('probes that never came', figures.lost, 0, ''),
      atMost('dry run', round(dry.seconds, 2), 10, 's'),
    ],
    notes: [
      `${plan.triggers} triggers of ten makes over ${plan.devices} devices, ten devices a trigger and ten triggers a device; ${plan.connections} of the devices send.`,
      'The difference of two windows of CPU time: what else ran on the machine moves it by some µs either way.',
      `Alarm rows are looked for every 10 ms. The start with all triggers took ${round(started / 1_000)} s.`,
      ...(size === 'S'
        ? [`The rate that is promised for is 20,000 messages a second; this size has ${plan.rate}.`]
        : []),
    ],
    versions: { PostgreSQL: await site.postgresVersion() },
    data: { size, plan, without, withAll, row, live: seen, changed: rule, dry, started },
  }
}
