import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'

/** One line of what a trigger did. */
export interface NewRun {
  id: string
  tenantId: string
  triggerId: string
  version: number
  /** Epoch ms. */
  at: number
  /** What it was raised under: with the cause it is the same for the same, however often it is judged. */
  origin: string
  cause: 'raised' | 'cleared' | 'paused'
  by: 'row' | 'timer' | 'rule'
  deviceId: string | null
  values: unknown
  latencyMs: number
}

const INSERT_RUNS =
  sql`insert into trigger_runs (id, tenant_id, trigger_id, rule_version, at, origin, cause, by, device_id, alarm_id, values, latency_ms)
  select v.id, v."tenantId", v."triggerId", v.version, to_timestamp(v.at / 1000), v.origin, v.cause, v.by, v."deviceId",
    (select a.id from alarms a where a.origin = v.origin and a.slot = -1), v.values, v."latencyMs"
  from jsonb_to_recordset($1::jsonb) as v (id uuid, "tenantId" uuid, "triggerId" uuid, version int, at float8, origin text, cause text,
    by text, "deviceId" uuid, values jsonb, "latencyMs" int)
  where exists (select 1 from triggers t where t.id = v."triggerId")
  on conflict (origin, cause) do nothing`.named('triggers-runs')

const TOUCH = sql`update triggers t set last_run_at = greatest(t.last_run_at, to_timestamp(v.at / 1000))
  from jsonb_to_recordset($1::jsonb) as v ("triggerId" uuid, at float8) where t.id = v."triggerId"`.named(
  'triggers-touch',
)

export async function insertRuns(client: pg.ClientBase, runs: readonly NewRun[]): Promise<void> {
  if (runs.length === 0) return
  await runOn(client, INSERT_RUNS, [JSON.stringify(runs)])
  const last = new Map<string, number>()
  for (const { triggerId, at } of runs) last.set(triggerId, Math.max(at, last.get(triggerId) ?? 0))
  const touched = [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([triggerId, at]) => ({ triggerId, at }))
  await runOn(client, TOUCH, [JSON.stringify(touched)])
}

/** An action that is due; of those that the database does itself it is done already. */
export interface NewAction {
  id: string
  origin: string
  cause: 'raised' | 'cleared'
  index: number
  kind: string
  action: Record<string, unknown>
  isDone: boolean
}

const INSERT_ACTIONS =
  sql`insert into trigger_actions (id, tenant_id, run_id, trigger_id, index, kind, action, result, finished_at, attempts)
  select v.id, r.tenant_id, r.id, r.trigger_id, v.index, v.kind, v.action, case when v."isDone" then 'done' else 'pending' end,
    case when v."isDone" then clock_timestamp() end, case when v."isDone" then 1 else 0 end
  from jsonb_to_recordset($1::jsonb) as v (id uuid, origin text, cause text, index smallint, kind text, action jsonb, "isDone" boolean)
  join trigger_runs r on r.origin = v.origin and r.cause = v.cause
  on conflict (run_id, index) do nothing`.named('triggers-actions')

export async function insertActions(client: pg.ClientBase, actions: readonly NewAction[]): Promise<void> {
  if (actions.length > 0) await runOn(client, INSERT_ACTIONS, [JSON.stringify(actions)])
}

const PAUSE =
  sql`update triggers set fault = '{"code":"loop","params":{}}', updated_at = now() where id = any ($1::uuid[])`.named(
    'triggers-pause',
  )

/** Their guard stopped them. */
export async function pause(client: pg.ClientBase, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await runOn(client, PAUSE, [ids])
}

const TELL_CLEARED = sql`insert into trigger_signals (tenant_id, kind, trigger_id, device)
  select v."tenantId", 'cleared', v."triggerId", v.device from jsonb_to_recordset($1::jsonb) as v ("tenantId" uuid, "triggerId" uuid, device int)`

/** An action cleared alarms of another trigger: the engine takes it like a clear by a person. */
export async function tellCleared(
  client: pg.ClientBase,
  cleared: readonly { tenantId: string; triggerId: string; device: number | null }[],
): Promise<void> {
  if (cleared.length > 0) await runOn(client, TELL_CLEARED, [JSON.stringify(cleared)])
}

// Facts

export interface SignalRow {
  id: number
  kind: 'button' | 'api' | 'command_failed' | 'cleared' | 'resumed'
  triggerId: string | null
  device: number | null
  key: string | null
  judgedAt: number | null
}

const NEW_SIGNALS = sql<SignalRow>`select id, kind, trigger_id as "triggerId", device, key, judged_at as "judgedAt"
  from trigger_signals where judged_at is null order by id limit 1000`.named('triggers-signals')
const OLD_SIGNALS = sql<SignalRow>`select id, kind, trigger_id as "triggerId", device, key, judged_at as "judgedAt"
  from trigger_signals where judged_at >= $1 order by judged_at, id`
const JUDGED = sql`update trigger_signals s set judged_at = v.at from unnest($1::bigint[], $2::bigint[]) as v (id, at) where s.id = v.id`
const FORGET_SIGNALS = sql`delete from trigger_signals where judged_at < $1`

/** What happened and has no place among the rows yet. */
export async function newSignals(client: pg.ClientBase | pg.Pool): Promise<SignalRow[]> {
  return (await runOn(client, NEW_SIGNALS)).rows
}

/** What took its place since a moment. */
export async function signalsSince(client: pg.ClientBase | pg.Pool, at: number): Promise<SignalRow[]> {
  return (await runOn(client, OLD_SIGNALS, [at])).rows
}

export async function judgeSignals(client: pg.ClientBase, placed: ReadonlyMap<number, number>): Promise<void> {
  if (placed.size > 0) await runOn(client, JUDGED, [[...placed.keys()], [...placed.values()]])
}

export async function forgetSignals(client: pg.ClientBase, before: number): Promise<void> {
  await runOn(client, FORGET_SIGNALS, [before])
}
