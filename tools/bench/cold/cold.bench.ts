import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Installation } from '../../lib/installation.ts'
import { processTable, treeOf } from '../../lib/processes.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size, seconds, until } from '../core/bench.ts'
import { cpuBetween, pssByPart, readCpu } from '../core/meter.ts'
import type { MeterIdentity } from '../generator/meter-device.ts'
import { accepts, type StartTimes, watchStart } from './start-watch.ts'

interface Plan {
  repeats: number
  /** How long the demo's history may take before idling is measured, s. */
  historySeconds: number
  settleSeconds: number
  idleSeconds: number
}

const PLANS: Record<Size, Plan> = {
  S: { repeats: 1, historySeconds: 20, settleSeconds: 5, idleSeconds: 10 },
  M: { repeats: 5, historySeconds: 900, settleSeconds: 60, idleSeconds: 60 },
}
const CASES = ['fresh', 'warm', 'after kill -9'] as const
type Case = (typeof CASES)[number]
/** As `npm start` runs: with the demo. */
const ENV = { DEMO: '1' }

interface Idle {
  pssMb: number
  withLauncherMb: number
  parts: Record<string, number>
  cpuPercent: number
  history: { done: number; total: number }
}

export const cold: Bench = {
  name: 'cold',
  summary: 'fresh and warm starts, recovery after kill -9, memory and CPU at rest',
  async run(options) {
    const plan = PLANS[options.size]
    const direct = await startsOf(plan.repeats, undefined, options)
    const { starts: npm, idle } = await npmStarts(plan, options)
    return report(options.size, direct, npm, idle)
  },
}

/** Starts of the built server itself, again and again on new folders. */
async function startsOf(
  repeats: number,
  command: string[] | undefined,
  { say }: BenchOptions,
): Promise<Map<Case, StartTimes[]>> {
  const starts = new Map<Case, StartTimes[]>(CASES.map(name => [name, []]))
  for (let i = 0; i < repeats; i++) {
    const installation = await Installation.create({ env: ENV, ...(command ? { command } : {}) })
    try {
      await threeStarts(installation, starts, say)
    } finally {
      await end(installation)
    }
  }
  return starts
}

/** The same by `npm start`; the last one is left running until it is idle. */
async function npmStarts(
  plan: Plan,
  { say }: BenchOptions,
): Promise<{ starts: Map<Case, StartTimes[]>; idle: Idle | null }> {
  const starts = new Map<Case, StartTimes[]>(CASES.map(name => [name, []]))
  const installation = await Installation.create({ env: ENV, command: ['npm', 'start', '--silent'] })
  try {
    await threeStarts(installation, starts, say)
    say('waiting for the history of the demo and for quiet ...')
    return { starts, idle: await idleOf(installation, plan) }
  } finally {
    await end(installation)
  }
}

async function threeStarts(
  installation: Installation,
  starts: Map<Case, StartTimes[]>,
  say: (line: string) => void,
): Promise<void> {
  let device: MeterIdentity | null = null
  for (const name of CASES) {
    if (name === 'warm') await stopInOrder(installation)
    if (name === 'after kill -9') {
      installation.kill('everything')
      await installation.exited()
      // Its children end a moment later; their sockets must not be taken for those of the next life.
      await until(async () => !(await accepts(installation.mqttPort)), 5_000)
    }
    const began = performance.now()
    installation.spawn()
    try {
      const seen: Awaited<ReturnType<typeof watchStart>> = await watchStart(
        { url: installation.url, mqttPort: installation.mqttPort, username: 'demo' },
        began,
        device,
      )
      device = seen.device
      starts.get(name)!.push(seen.times)
      say(`  ${name}: page ${seen.times.pageMs} ms, MQTT ${seen.times.mqttMs} ms, stored ${seen.times.storedMs} ms`)
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}\n${installation.log.slice(-3_000)}`)
    }
  }
}

/** SIGTERM to the server itself, whoever started it. */
async function stopInOrder(installation: Installation): Promise<void> {
  const main = treeOf(installation.pid, processTable()).find(p => p.command.includes('server/main.js'))
  if (main) process.kill(main.pid, 'SIGTERM')
  await installation.exited()
}

async function end(installation: Installation): Promise<void> {
  installation.kill('everything')
  await installation.exited()
  installation.remove()
}

async function idleOf(installation: Installation, plan: Plan): Promise<Idle> {
  let history = demoHistory(installation.dataDir)
  await until(
    () => {
      history = demoHistory(installation.dataDir)
      return history.total > 0 && history.done >= history.total
    },
    plan.historySeconds * 1000,
    1000,
  )
  await seconds(plan.settleSeconds)
  const before = readCpu(installation.pid)
  await seconds(plan.idleSeconds)
  const after = readCpu(installation.pid)
  const parts = pssByPart(installation.pid)
  const all = Object.values(parts).reduce((sum, mb) => sum + mb, 0)
  return {
    pssMb: Math.round(all - (parts.launcher ?? 0)),
    withLauncherMb: Math.round(all),
    parts,
    cpuPercent: Math.round(cpuBetween(before, after, 1).cores * 1000) / 10,
    history,
  }
}

/** How much of its past the demo's fleet has written, from the file in which the fleet remembers it. */
function demoHistory(dataDir: string): { done: number; total: number } {
  try {
    const { history } = JSON.parse(readFileSync(join(dataDir, 'demo/fleet.json'), 'utf8')) as {
      history: { plan: { perDevice: number }; done: Record<string, number> } | null
    }
    if (!history) return { done: 0, total: 0 }
    return {
      done: Object.values(history.done).reduce((sum, n) => sum + n, 0),
      total: history.plan.perDevice * Object.keys(history.done).length,
    }
  } catch {
    return { done: 0, total: 0 }
  }
}

function report(
  size: Size,
  direct: Map<Case, StartTimes[]>,
  npm: Map<Case, StartTimes[]>,
  idle: Idle | null,
): BenchReport {
  const row = (label: string, starts: StartTimes[]) => [
    label,
    starts.length,
    ...(['pageMs', 'mqttMs', 'storedMs', 'readyMs'] as const).map(key => median(starts.map(s => s[key]))),
  ]
  const page = (name: Case) => median((npm.get(name) ?? []).map(s => s.pageMs))
  return {
    tables: [
      {
        title: 'Median ms from the start of the process, demo on',
        head: ['start', 'n', 'sign-in page', 'MQTT accepts', 'first stored', 'ready'],
        rows: [
          ...CASES.map(name => row(`server, ${name}`, direct.get(name)!)),
          ...CASES.map(name => row(`npm start, ${name}`, npm.get(name)!)),
        ],
      },
      ...(idle
        ? [
            {
              title: `At rest: ${idle.history.done} of ${idle.history.total} messages of the demo's history written, CPU ${idle.cpuPercent} % of one core`,
              head: ['part', 'PSS MB'],
              rows: [
                ...Object.entries(idle.parts).map(([part, mb]) => [part, mb]),
                ['all of the server', idle.pssMb],
                ['with npm and the start script', idle.withLauncherMb],
              ],
            },
          ]
        : []),
    ],
    goals: [
      atMost('fresh npm start to the sign-in page', page('fresh'), 8_000, 'ms'),
      atMost('warm npm start to the sign-in page', page('warm'), 3_000, 'ms'),
      atMost('memory at rest, all of the server', idle?.pssMb ?? null, 350, 'MB'),
      atMost('memory at rest with npm and the start script', idle?.withLauncherMb ?? null, 350, 'MB'),
    ],
    notes: [
      'Files of the build are in the page cache; a first start after the machine was booted reads them from disk.',
      'First stored, fresh: after the sign-in page a product and a device are made over the API before it is published.',
      ...(idle && idle.history.done < idle.history.total
        ? ["The demo's history was not complete when rest was measured."]
        : []),
    ],
    versions: {},
    data: { size, direct: Object.fromEntries(direct), npm: Object.fromEntries(npm), idle },
  }
}

function median(values: number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted.length === 0 ? null : sorted[Math.floor((sorted.length - 1) / 2)]!
}
