import { readFileSync } from 'node:fs'
import { type Bench, type BenchOptions, type BenchReport, type Size, seconds, until } from '../core/bench.ts'
import { pssByPart } from '../core/meter.ts'
import { type Meter, Site } from '../core/site.ts'
import { Generator } from '../generator/generator.ts'

/** How many connections are held, one step after the other. */
const PLANS: Record<Size, number[]> = { S: [2_000], M: [10_000, 50_000] }
/** Files that each process needs besides its connections. */
const OWN_FILES = 1_000
const SETTLE_SECONDS = 5
/** Presence is written coalesced: so long may it take until the last one counts as connected. */
const ONLINE_MS = 120_000

interface Step {
  connections: number
  /** From the first connection to the last CONNACK. */
  connectSeconds: number
  perSecond: number
  /** Kilobytes of the gateway process for each connection, idle. */
  gatewayKb: number
  allKb: number
  /** All connections cut at once: until all are back. */
  stormSeconds: number
  /** Until the server says of all of them that they are connected. */
  stormOnlineSeconds: number | null
  /** After a kill -9 of every process of the server: ready again, then all connected. */
  restartSeconds: number
  afterRestartSeconds: number
}

export const connect: Bench = {
  name: 'connect',
  summary: 'MQTT connections held at once: memory for each, all of them coming back at once, after a crash too',
  async run(options) {
    const bound = openFiles() - OWN_FILES
    const wanted = PLANS[options.size]
    const counts = [...new Set(wanted.map(count => Math.min(count, bound)))]
    const notes = wanted
      .filter(count => count > bound)
      .map(count => `${count} connections were not tried: a process may open ${openFiles()} files here (ulimit -n)`)
    const site = await Site.open()
    const generator = await Generator.start()
    try {
      const { meters } = await site.meters(Math.max(...counts))
      const steps: Step[] = []
      for (const count of counts) {
        // A process that held connections before keeps room for them: each step begins with a new one.
        if (steps.length > 0) await site.crashAndRestart()
        steps.push(await hold(options, site, generator, meters.slice(0, count)))
      }
      return report(steps, notes, await site.postgresVersion())
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      generator.stop()
      await site.close()
    }
  },
}

async function hold({ say }: BenchOptions, site: Site, generator: Generator, meters: readonly Meter[]): Promise<Step> {
  const identities = meters.map(meter => meter.identity)
  const connections = identities.length
  const join = () => generator.connect(site.installation.mqttPort, identities)
  // What is loaded and compiled with the first connections is not theirs.
  await generator.connect(site.installation.mqttPort, identities.slice(0, 200))
  await generator.disconnect()
  await seconds(SETTLE_SECONDS)
  const before = pssByPart(site.installation.pid)
  const connectSeconds = await join()
  await online(site, connections)
  await seconds(SETTLE_SECONDS)
  const held = pssByPart(site.installation.pid)
  const sum = (parts: Record<string, number>) => Object.values(parts).reduce((all, each) => all + each, 0)
  const gatewayKb = kilobytes((held.gateway ?? 0) - (before.gateway ?? 0), connections)
  const allKb = kilobytes(sum(held) - sum(before), connections)
  say(`${connections} connected in ${connectSeconds.toFixed(1)} s, ${gatewayKb} KB of the gateway each`)

  await generator.disconnect()
  const began = performance.now()
  const stormSeconds = await join()
  const stormOnlineSeconds = (await online(site, connections)) ? (performance.now() - began) / 1000 : null
  say(`cut and all back at once in ${stormSeconds.toFixed(1)} s`)

  await generator.disconnect()
  const restartSeconds = (await site.crashAndRestart()) / 1000
  const afterRestartSeconds = await join()
  say(`after kill -9: ready in ${restartSeconds.toFixed(1)} s, all connected ${afterRestartSeconds.toFixed(1)} s later`)
  await generator.disconnect()
  return {
    connections,
    connectSeconds,
    perSecond: Math.round(connections / connectSeconds),
    gatewayKb,
    allKb,
    stormSeconds,
    stormOnlineSeconds,
    restartSeconds,
    afterRestartSeconds,
  }
}

/** Waits until the server counts so many devices as connected. */
function online(site: Site, connections: number): Promise<boolean> {
  return until(
    async () => {
      const [row] = await site.sql<{ n: number }>(
        `select count(*)::int as n from device_presence where link = 'online'`,
      )
      return row!.n >= connections
    },
    ONLINE_MS,
    250,
  )
}

const kilobytes = (megabytes: number, connections: number) => Math.round((megabytes * 1e4) / connections) / 10

/** Files that a process may open, as its children inherit it. */
function openFiles(): number {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find(each => each.startsWith('Max open files'))
  return Number(line?.split(/\s+/)[3] ?? 1024) || 1024
}

function report(steps: readonly Step[], notes: string[], postgres: string): BenchReport {
  const one = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10)
  return {
    tables: [
      {
        title: 'Connections held (MQTT over TCP, signed in with a secret each, idle)',
        head: [
          'connections',
          'all connected, s',
          'connections/s',
          'gateway, KB each',
          'all processes, KB each',
          'storm: all back, s',
          'storm: all shown online, s',
          'kill -9: ready, s',
          'then all back, s',
        ],
        rows: steps.map(step => [
          step.connections,
          one(step.connectSeconds),
          step.perSecond,
          step.gatewayKb,
          step.allKb,
          one(step.stormSeconds),
          one(step.stormOnlineSeconds),
          one(step.restartSeconds),
          one(step.afterRestartSeconds),
        ]),
      },
    ],
    goals: [],
    notes: [
      'memory is the proportional set size (PSS) of the server with the connections less that without them',
      'the devices run on the same machine and share its CPUs; 100 of them sign in at the same time',
      ...notes,
    ],
    versions: { PostgreSQL: postgres },
    data: { steps },
  }
}
