import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, until } from '../core/bench.ts'
import { ChildTool } from '../core/child-process.ts'
import { type CpuUse, cpuBetween, pssByPart, readCpu } from '../core/meter.ts'
import { type Meter, Site } from '../core/site.ts'
import type { DownloadFigures, FromDownloaders, Manner, ToDownloaders } from './messages.ts'

interface Plan {
  devices: number
  bytes: number
  manners: Record<string, Manner>
}

const MB = 1024 * 1024
const PLANS: Record<Size, Plan> = {
  S: {
    devices: 200,
    bytes: MB,
    manners: { 'one chunk a question': { length: 4_096, count: 1, window: 4 } },
  },
  M: {
    devices: 1_000,
    bytes: MB,
    manners: {
      'one chunk a question': { length: 4_096, count: 1, window: 4 },
      '16 chunks a question': { length: 4_096, count: 16, window: 1 },
    },
  },
}
const GOAL_SECONDS = 60
const LONGEST_MS = 300_000

interface Run {
  manner: string
  /** From the first notice to the last byte of the last device. */
  seconds: number
  /** From the making of the campaign until every device counts as updated. */
  wholeSeconds: number
  p50: number
  p99: number
  megabytesPerSecond: number
  cpu: CpuUse
  cpuSecondsPerMb: number
  gatewayMb: number
  figures: DownloadFigures
}

type Tool = ChildTool<ToDownloaders, FromDownloaders>

export const ota: Bench = {
  name: 'ota',
  summary: 'a campaign over 1,000 devices that fetch 1 MB each in chunks of 4 KB over MQTT: time, CPU per megabyte',
  async run(options) {
    const plan = PLANS[options.size]
    const site = await Site.open()
    const tool: Tool = await ChildTool.start(join(import.meta.dirname, 'downloaders.main.ts'))
    try {
      const { productId, meters } = await site.meters(plan.devices)
      const runs: Run[] = []
      for (const [manner, how] of Object.entries(plan.manners))
        runs.push(await run(options, plan, site, tool, { productId, meters, manner, how, no: runs.length + 1 }))
      return report(plan, runs, await site.postgresVersion())
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      tool.stop()
      await site.close()
    }
  },
}

async function run(
  { say }: BenchOptions,
  plan: Plan,
  site: Site,
  tool: Tool,
  about: { productId: string; meters: Meter[]; manner: string; how: Manner; no: number },
): Promise<Run> {
  const { productId, meters, manner, how, no } = about
  const version = `${no}.0.0`
  const devices = meters.map(({ identity }) => identity)
  await tool.ask({ type: 'connect', port: site.installation.mqttPort, version: `${no - 1}.9.0`, devices }, 'connected')
  await tool.ask({ type: 'begin', manner: how }, 'done')
  const known = await until(
    async () => (await count(site, 'device_firmware', `${no - 1}.9.0`)) === plan.devices,
    30_000,
  )
  if (!known) throw new Error('the devices’ versions did not arrive')
  const packageId = await upload(site, productId, version, no, randomBytes(plan.bytes))
  await site.api.prove()
  const cpu = readCpu(site.installation.pid)
  const helper = (await read(tool)).cpuSeconds
  const began = performance.now()
  await site.api.post('/ota-campaigns', {
    name: `Bench ${no}`,
    packageId,
    scope: { kind: 'all' },
    rate: { kind: 'constant', perMinute: 60_000 },
  })
  let figures = await read(tool)
  const loaded = await until(
    async () => {
      figures = await read(tool)
      return figures.done === plan.devices
    },
    LONGEST_MS,
    100,
  )
  const megabytes = figures.bytes / MB
  const use = cpuBetween(cpu, readCpu(site.installation.pid), megabytes)
  const gatewayMb = pssByPart(site.installation.pid).gateway ?? 0
  if (!loaded || figures.wrong > 0)
    throw new Error(`${figures.done} of ${plan.devices} devices were done, ${figures.wrong} of them with wrong bytes`)
  const updated = await until(async () => (await count(site, 'device_firmware', version)) === plan.devices, 60_000, 100)
  if (!updated) throw new Error('not every device counts as updated')
  const wholeSeconds = (performance.now() - began) / 1000
  const seconds = (figures.lastMs - figures.firstMs) / 1000
  await tool.ask({ type: 'disconnect' }, 'done')
  say(
    `${manner}: ${seconds.toFixed(1)} s, ${(use.seconds / megabytes).toFixed(3)} CPU s per MB; the devices’ side ${(figures.cpuSeconds - helper).toFixed(1)} CPU s`,
  )
  const at = (share: number) =>
    figures.took[Math.min(figures.took.length - 1, Math.floor(figures.took.length * share))]!
  return {
    manner,
    seconds,
    wholeSeconds,
    p50: at(0.5),
    p99: at(0.99),
    megabytesPerSecond: megabytes / seconds,
    cpu: use,
    cpuSecondsPerMb: use.seconds / megabytes,
    gatewayMb,
    figures,
  }
}

async function read(tool: Tool): Promise<DownloadFigures> {
  return (await tool.ask({ type: 'read' }, 'figures')).figures
}

async function count(site: Site, table: 'device_firmware', version: string): Promise<number> {
  const [row] = await site.sql<{ n: number }>(`select count(*)::int as n from ${table} where version = $1`, [version])
  return row!.n
}

/** Adds a package as the console does. @returns its id */
async function upload(site: Site, productId: string, version: string, orderNo: number, bytes: Buffer): Promise<string> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ productId, name: version, version, orderNo: String(orderNo) }))
    form.append(name, value)
  form.append('file', new Blob([new Uint8Array(bytes)]), 'firmware.bin')
  const reply = await fetch(`${site.installation.url}/api/v1/firmware-packages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await site.api.signIn()}` },
    body: form,
  })
  if (!reply.ok) throw new Error(`upload: HTTP ${reply.status} ${await reply.text()}`)
  return ((await reply.json()) as { id: string }).id
}

function report(plan: Plan, runs: readonly Run[], postgres: string): BenchReport {
  const one = (value: number) => Math.round(value * 10) / 10
  const milli = (value: number) => Math.round(value * 10_000) / 10
  return {
    tables: [
      {
        title: `${plan.devices} devices x ${plan.bytes / MB} MB in chunks of 4 KB over MQTT (3.1.1, one connection each)`,
        head: [
          'how devices ask',
          'first notice to last byte, s',
          'campaign made to all updated, s',
          'one device p50, s',
          'p99, s',
          'MB/s',
          'server CPU, ms per MB',
          'gateway memory, MB',
        ],
        rows: runs.map(run => [
          run.manner,
          one(run.seconds),
          one(run.wholeSeconds),
          one(run.p50),
          one(run.p99),
          one(run.megabytesPerSecond),
          milli(run.cpuSecondsPerMb),
          one(run.gatewayMb),
        ]),
      },
      {
        title: 'Server CPU by part, ms per MB',
        head: ['how devices ask', 'part', 'ms per MB'],
        rows: runs.flatMap(run =>
          Object.entries(run.cpu.parts).map(([part, micros]) => [run.manner, part, one(micros / 1000)]),
        ),
      },
    ],
    goals: runs.map(run =>
      atMost(`${plan.devices} devices x 1 MB, ${run.manner}`, one(run.seconds), GOAL_SECONDS, 's'),
    ),
    notes: [
      'The devices run in a process of their own on the same machine and share its CPUs with the server.',
      'Every device checks the order of its chunks and the SHA-256 of the whole, and reports its new version.',
      'One chunk a question: four questions on their way; 16 chunks a question: one.',
    ],
    versions: { PostgreSQL: postgres },
    data: {
      devices: plan.devices,
      bytes: plan.bytes,
      runs: runs.map(({ figures: { took: _, ...figures }, ...run }) => ({ ...run, figures })),
    },
  }
}
