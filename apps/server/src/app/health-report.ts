import { statfs } from 'node:fs/promises'
import type { HealthView } from '@thingwright/contracts/operator.contract'
import type { Database } from '../lib/database/database.ts'
import { runOn, sql } from '../lib/sql/statement.ts'
import { answerWithin } from './answer-within.ts'

type Component = HealthView['components'][number]
type Fact = Component['facts'][number]

export interface HealthSources {
  database: Database
  dataDir: string
  version: string
  gateway: { ready(): boolean; metrics(): Promise<Record<string, number> | null> }
  worker: { ready(): boolean; gauges(): Promise<Record<string, number>> }
  live: { connections(): number; topics(): number }
  ports(): Record<string, number | null>
  /** A component that says nothing for so long is down; default 5 s. */
  withinMs?: number
}

/** Rows a consumer may be behind before that is worth a warning. */
const BEHIND = 50_000
/** Messages that may wait for a lane. */
const WAITING = 20_000
const LANES = 'gateway_lanes_'
const SLOW_MS = 250
const WITHIN_MS = 5_000
const GIB = 1024 ** 3

const SELECT_PG_STAT_ACTIVITY = sql<{
  version: string
  bytes: number
  connections: number
}>`select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
  (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`

const SELECT_TASKS = sql<{
  state: string
  n: number
  overdue: boolean
}>`select state, count(*)::int as n, bool_or(state = 'running' and lease_until < now() - interval '1 minute') as overdue
  from tasks where state in ('queued', 'running') or ended_at > now() - interval '1 day' group by state`

/** Asks every component how it is; one that does not answer is down and holds up no other. */
export async function healthReport(sources: HealthSources): Promise<HealthView> {
  const { database, gateway, worker, live, withinMs = WITHIN_MS } = sources
  const component = (key: string, ask: () => Promise<Omit<Component, 'key'>>) => askOne(key, withinMs, ask)
  const asked = gateway.ready() ? gateway.metrics().catch(() => null) : Promise.resolve(null)
  const components = await Promise.all([
    component('database', async () => {
      const began = performance.now()
      const { rows } = await runOn(database.telemetry, SELECT_PG_STAT_ACTIVITY)
      const ms = Math.round(performance.now() - began)
      return {
        state: ms > SLOW_MS ? 'warning' : 'ok',
        facts: [
          fact('version', rows[0]!.version, 'text'),
          fact('answer', ms, 'ms'),
          fact('size', rows[0]!.bytes, 'bytes'),
          fact('connections', rows[0]!.connections, 'count'),
        ],
      }
    }),
    component('gateway', async () => {
      const metrics = await asked
      return { state: metrics ? 'ok' : 'down', facts: factsOf(metrics, key => !key.startsWith(LANES)) }
    }),
    component('lanes', async () => {
      const metrics = await asked
      const state = metrics === null ? 'down' : (metrics[`${LANES}queued`] ?? 0) > WAITING ? 'warning' : 'ok'
      return { state, facts: factsOf(metrics, key => key.startsWith(LANES)) }
    }),
    component('consumers', async () => {
      const gauges = await worker.gauges()
      const furthest = Math.max(0, ...Object.values(gauges))
      return {
        state: !worker.ready() ? 'down' : furthest > BEHIND ? 'warning' : 'ok',
        facts: Object.entries(gauges).map(([key, value]) => fact(key, value, 'rows')),
      }
    }),
    component('disk', async () => {
      const { bavail, blocks, bsize } = await statfs(sources.dataDir)
      const free = bavail * bsize
      const total = blocks * bsize
      return {
        state: free < GIB ? 'down' : free < Math.max(5 * GIB, total * 0.1) ? 'warning' : 'ok',
        facts: [fact('free', free, 'bytes'), fact('total', total, 'bytes')],
      }
    }),
    component('listeners', async () => {
      const ports = Object.entries(sources.ports())
      return {
        state: ports.every(([, port]) => port !== 0) ? 'ok' : 'down',
        facts: [
          ...ports.filter(([, port]) => port !== null).map(([key, port]) => fact(key, port ?? 0, 'text')),
          fact('live_connections', live.connections(), 'count'),
          fact('live_topics', live.topics(), 'count'),
        ],
      }
    }),
    component('tasks', async () => {
      const { rows } = await database.withSystemScope('operator', scope => scope.run(SELECT_TASKS))
      const of = (state: string) => rows.find(row => row.state === state)?.n ?? 0
      return {
        state: rows.some(row => row.overdue) ? 'warning' : 'ok',
        facts: ['queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled'].map(state =>
          fact(state, of(state), 'count'),
        ),
      }
    }),
    component('memory', async () => {
      const { rss, heapUsed } = process.memoryUsage()
      return { state: 'ok', facts: [fact('rss', rss, 'bytes'), fact('heap', heapUsed, 'bytes')] }
    }),
  ])
  return {
    at: new Date().toISOString(),
    version: sources.version,
    node: process.version,
    uptimeSeconds: Math.round(process.uptime()),
    components,
  }
}

async function askOne(key: string, withinMs: number, ask: () => Promise<Omit<Component, 'key'>>): Promise<Component> {
  try {
    return { key, ...(await answerWithin(withinMs, ask())) }
  } catch (error) {
    return { key, state: 'down', facts: [fact('error', (error as Error).message.slice(0, 200), 'text')] }
  }
}

/** The device path's counters, under names without the part that they share. */
function factsOf(metrics: Record<string, number> | null, wanted: (key: string) => boolean): Fact[] {
  return Object.entries(metrics ?? {})
    .filter(([key]) => wanted(key))
    .map(([key, value]) => fact(key, value, unitOf(key)))
}

function fact(key: string, value: Fact['value'], unit: NonNullable<Fact['unit']>): Fact {
  return { key, value, unit }
}

function unitOf(key: string): NonNullable<Fact['unit']> {
  if (/bytes/i.test(key)) return 'bytes'
  return /_ms(_state)?$|Ms$/.test(key) ? 'ms' : 'count'
}
