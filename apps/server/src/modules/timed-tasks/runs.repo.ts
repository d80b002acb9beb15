import type { TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import type { Schedule } from '@thingwright/schedules'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { Fault } from './timed-tasks.repo.ts'

export type RunState = 'pending' | 'running' | 'done' | 'partial' | 'failed' | 'skipped'
export type StepResult = 'pending' | 'done' | 'partial' | 'failed' | 'skipped'

// What is due

export interface DueRow {
  id: string
  tenantId: string
  name: string
  schedule: Schedule
  calendarId: string | null
  actions: TimedAction[]
  offActions: TimedAction[]
  misfire: 'skip' | 'once'
  misfireMinutes: number
  nextRun: Date
  ownerId: string | null
  ownerName: string
}

const DUE = sql<DueRow>`select t.id, t.tenant_id as "tenantId", t.name, t.schedule, t.calendar_id as "calendarId", t.actions,
    t.off_actions as "offActions", t.misfire, t.misfire_minutes as "misfireMinutes", t.next_run as "nextRun",
    t.created_by as "ownerId", t.created_by_name as "ownerName"
  from timed_tasks t where t.enabled and t.fault is null and t.next_run <= $1 order by t.next_run limit $2 for update skip locked`

/** Tasks whose run is due, held until the transaction ends. What another process holds is left to it. */
export async function dueTasks(scope: SystemScope, now: Date, limit: number): Promise<DueRow[]> {
  return (await scope.run(DUE, [now, limit])).rows
}

const ADVANCE = sql`update timed_tasks t set next_run = to_timestamp(v.next / 1000), fault = coalesce(v.fault, t.fault),
    last_run_at = case when v.ran then to_timestamp(v.now / 1000) else t.last_run_at end
  from jsonb_to_recordset($1::jsonb) as v (id uuid, next float8, fault jsonb, ran boolean, now float8) where t.id = v.id`

/** @param next epoch ms; null: nothing more comes */
export async function advance(
  scope: SystemScope,
  rows: readonly { id: string; next: number | null; fault: Fault | null; ran: boolean; now: number }[],
): Promise<void> {
  if (rows.length > 0) await scope.run(ADVANCE, [JSON.stringify(rows)])
}

export interface NewRun {
  id: string
  tenantId: string
  taskId: string | null
  sceneId: string | null
  name: string
  cause: 'schedule' | 'manual' | 'trigger'
  edge: 'on' | 'off' | null
  ownerId: string | null
  byName: string
  /** Epoch ms. */
  dueAt: number
  missed: number
  state: 'pending' | 'skipped'
  fault: Fault | null
  /** Epoch ms; null: never. */
  nextAt: number | null
  /** Until when a device that is not there may still get it, epoch ms. */
  expiresAt: number | null
}

const INSERT_RUNS = sql<{
  id: string
}>`insert into timed_task_runs (id, tenant_id, task_id, scene_id, name, cause, edge, owner_id, by_name,
    due_at, missed, state, fault, next_at, expires_at, finished_at)
  select v.id, v."tenantId", v."taskId", v."sceneId", v.name, v.cause, v.edge, v."ownerId", v."byName", to_timestamp(v."dueAt" / 1000),
    v.missed, v.state, v.fault, to_timestamp(v."nextAt" / 1000), to_timestamp(v."expiresAt" / 1000),
    case when v.state = 'skipped' then clock_timestamp() end
  from jsonb_to_recordset($1::jsonb) as v (id uuid, "tenantId" uuid, "taskId" uuid, "sceneId" uuid, name text, cause text, edge text,
    "ownerId" uuid, "byName" text, "dueAt" float8, missed int, state text, fault jsonb, "nextAt" float8, "expiresAt" float8)
  on conflict do nothing returning id`

export interface NewStep {
  id: string
  tenantId: string
  runId: string
  index: number
  action: TimedAction
  sceneName: string | null
  /** Epoch ms. */
  dueAt: number
  result: StepResult
  fault: Fault | null
}

const INSERT_STEPS = sql`insert into timed_task_steps (id, tenant_id, run_id, index, action, scene_name, due_at, result, fault)
  select v.id, v."tenantId", v."runId", v.index, v.action, v."sceneName", to_timestamp(v."dueAt" / 1000), v.result, v.fault
  from jsonb_to_recordset($1::jsonb) as v (id uuid, "tenantId" uuid, "runId" uuid, index smallint, action jsonb, "sceneName" text,
    "dueAt" float8, result text, fault jsonb)`

/** Writes runs with their steps; a run that is there already stays as it is. */
export async function insertRuns(run: Runner, runs: readonly NewRun[], steps: readonly NewStep[]): Promise<void> {
  if (runs.length === 0) return
  const made = new Set((await run.run(INSERT_RUNS, [JSON.stringify(runs)])).rows.map(({ id }) => id))
  const those = steps.filter(({ runId }) => made.has(runId))
  if (those.length > 0) await run.run(INSERT_STEPS, [JSON.stringify(those)])
}

const TOUCH_SCENE = sql`update scenes set last_run_at = to_timestamp($2::float8 / 1000) where id = $1`
const TOUCH_TASK = sql`update timed_tasks set last_run_at = to_timestamp($2::float8 / 1000) where id = $1`

export async function touch(run: Runner, kind: 'task' | 'scene', id: string, now: number): Promise<void> {
  await run.run(kind === 'task' ? TOUCH_TASK : TOUCH_SCENE, [id, now])
}

// What is carried out

export interface TakenRun {
  id: string
  tenantId: string
  taskId: string | null
  sceneId: string | null
  name: string
  ownerId: string | null
  cause: 'schedule' | 'manual' | 'trigger'
  expiresAt: Date | null
  misfireMinutes: number
  attempts: number
  steps: { id: string; index: number; action: TimedAction; dueAt: string; result: StepResult }[]
}

const TAKE = sql<TakenRun>`with due as (
    select r.id from timed_task_runs r where r.state in ('pending', 'running') and r.next_at <= $1
    order by r.next_at, r.id limit $2 for update skip locked),
  taken as (
    update timed_task_runs r set state = 'running', attempts = attempts + 1, started_at = coalesce(started_at, $1),
      next_at = $1::timestamptz + interval '1 minute' from due where r.id = due.id returning r.*)
  select r.id, r.tenant_id as "tenantId", r.task_id as "taskId", r.scene_id as "sceneId", r.name, r.owner_id as "ownerId", r.cause,
    r.expires_at as "expiresAt", coalesce((select t.misfire_minutes from timed_tasks t where t.id = r.task_id), 0) as "misfireMinutes",
    r.attempts,
    (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'index', s.index, 'action', s.action, 'result', s.result,
      'dueAt', to_char(s.due_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by s.index), '[]')
      from timed_task_steps s where s.run_id = r.id) as steps
  from taken r order by r.due_at, r.id`

/** Takes runs whose next step is due; they come again a minute later unless somebody says how it went. */
export async function takeRuns(scope: SystemScope, now: Date, limit: number): Promise<TakenRun[]> {
  return (await scope.run(TAKE, [now, limit])).rows
}

const HOLD = sql`update timed_task_runs set next_at = $2 where id = $1`
const WAIT = sql`update timed_task_runs set next_at = $2, attempts = 0 where id = $1 and state = 'running'`

/** It is still being worked on. */
export async function hold(scope: Runner, id: string, until: Date): Promise<void> {
  await scope.run(HOLD, [id, until])
}

/** Its next step is due then. */
export async function waitFor(scope: SystemScope, id: string, at: Date): Promise<void> {
  await scope.run(WAIT, [id, at])
}

const END_STEP = sql`update timed_task_steps s set result = $2, fault = coalesce($3, fault), finished_at = clock_timestamp(),
    done = x.done, failed = x.failed, skipped = x.skipped
  from (select count(*) filter (where r.result = 'done')::int as done, count(*) filter (where r.result = 'failed')::int as failed,
    count(*) filter (where r.result = 'skipped')::int as skipped from timed_task_results r where r.step_id = $1) x
  where s.id = $1 and s.result = 'pending'`
const STEP_COUNTS = sql<{
  result: string
  n: number
}>`select result, count(*)::int as n from timed_task_results where step_id = $1 group by result`

/** Ends a step; without a result of its own by what came of its devices. */
export async function endStep(
  scope: SystemScope,
  id: string,
  result: StepResult | null,
  fault: Fault | null,
): Promise<void> {
  await scope.run(END_STEP, [
    id,
    result ?? resultOf(await countsOf(scope, id)),
    fault === null ? null : JSON.stringify(fault),
  ])
}

async function countsOf(scope: SystemScope, id: string): Promise<Record<string, number>> {
  return Object.fromEntries((await scope.run(STEP_COUNTS, [id])).rows.map(({ result, n }) => [result, n]))
}

function resultOf({ done = 0, failed = 0, skipped = 0 }: Record<string, number>): StepResult {
  if (failed === 0) return done > 0 || skipped === 0 ? 'done' : 'skipped'
  return done > 0 ? 'partial' : 'failed'
}

const ENDED = part`update timed_task_runs r set state = coalesce($2, (
      select case when bool_and(s.result in ('done')) then 'done' when bool_and(s.result in ('failed') or s.action ->> 'kind' = 'delay') then 'failed'
        when bool_and(s.result in ('skipped') or s.action ->> 'kind' = 'delay') then 'skipped'
        when bool_or(s.result in ('failed', 'partial')) then 'partial' else 'done' end
      from timed_task_steps s where s.run_id = r.id), 'done'), fault = $3, next_at = null, finished_at = clock_timestamp()
  where r.state in ('pending', 'running')`
const END_RUN = sql`${ENDED} and r.id = $1`
const END_RUNS = sql`${ENDED} and r.id = any ($1::uuid[])`
const SKIP_REST = sql`update timed_task_steps set result = 'skipped', finished_at = clock_timestamp() where run_id = $1 and result = 'pending'`

/** Ends a run; without a state of its own by what came of its steps. */
export async function endRun(
  scope: SystemScope,
  id: string,
  state: RunState | null,
  fault: Fault | null,
): Promise<void> {
  await scope.run(SKIP_REST, [id])
  await scope.run(END_RUN, [id, state, fault === null ? null : JSON.stringify(fault)])
}

const END_STEPS = sql`update timed_task_steps s set finished_at = clock_timestamp(), done = x.done, failed = x.failed, skipped = x.skipped,
    result = case when x.failed = 0 then case when x.done > 0 or x.skipped = 0 then 'done' else 'skipped' end
      when x.done > 0 then 'partial' else 'failed' end
  from (select r.step_id as id, count(*) filter (where r.result = 'done')::int as done,
      count(*) filter (where r.result = 'failed')::int as failed, count(*) filter (where r.result = 'skipped')::int as skipped
    from timed_task_results r where r.step_id = any ($1::uuid[]) group by r.step_id) x
  where s.id = x.id and s.result = 'pending'`

/** Ends runs with their last step, each by what came of its devices. */
export async function endTogether(
  scope: SystemScope,
  ended: readonly { runId: string; stepId: string }[],
): Promise<void> {
  if (ended.length === 0) return
  await scope.run(END_STEPS, [ended.map(({ stepId }) => stepId)])
  await scope.run(END_RUNS, [ended.map(({ runId }) => runId), null, null])
}

const SET_FAULT = sql`update timed_tasks set fault = $2, updated_at = now() where id = $1`

export async function setFault(scope: SystemScope, taskId: string, fault: Fault): Promise<void> {
  await scope.run(SET_FAULT, [taskId, JSON.stringify(fault)])
}

const WITH_RESULTS = sql<{ key: string }>`select step_id || ' ' || device_id as key from timed_task_results
  where step_id = any ($1::uuid[])`

/** Steps and devices, with a space between, that have had theirs. */
export async function withResults(scope: TenantScope, stepIds: readonly string[]): Promise<Set<string>> {
  return new Set((await scope.run(WITH_RESULTS, [stepIds])).rows.map(({ key }) => key))
}

export interface NewResult {
  deviceId: string
  deviceName: string
  result: 'done' | 'failed' | 'skipped'
  fault: Fault | null
  commandId: string | null
}

const INSERT_RESULTS = sql`insert into timed_task_results (step_id, device_id, tenant_id, device_name, result, fault, command_id)
  select v."stepId", v."deviceId", $1, v."deviceName", v.result, v.fault, v."commandId"
  from jsonb_to_recordset($2::jsonb) as v ("stepId" uuid, "deviceId" uuid, "deviceName" text, result text, fault jsonb,
    "commandId" uuid)`

/** @throws a database error when another process had one of the devices meanwhile: then nothing of this was done */
export async function insertResults(
  scope: TenantScope,
  results: readonly (NewResult & { stepId: string })[],
): Promise<void> {
  if (results.length > 0) await scope.run(INSERT_RESULTS, [scope.tenantId, JSON.stringify(results)])
}

// Its log

export interface RunRow {
  id: string
  taskId: string | null
  sceneId: string | null
  name: string
  cause: 'schedule' | 'manual' | 'trigger'
  edge: 'on' | 'off' | null
  byName: string
  dueAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  missed: number
  state: RunState
  fault: Fault | null
  steps: {
    index: number
    action: TimedAction
    sceneName: string | null
    dueAt: string
    result: StepResult
    fault: Fault | null
    done: number
    failed: number
    skipped: number
  }[]
}

export interface RunFilter {
  taskId?: string
  sceneId?: string
  state?: string
  cause?: string
  id?: string
}

export const RUNS = listSql<RunRow, RunFilter, 'dueAt'>({
  columns: part`r.id, r.task_id as "taskId", r.scene_id as "sceneId", r.name, r.cause, r.edge, r.by_name as "byName", r.due_at as "dueAt",
    r.started_at as "startedAt", r.finished_at as "finishedAt", r.missed, r.state, r.fault,
    (select coalesce(jsonb_agg(jsonb_build_object('index', s.index, 'action', s.action, 'sceneName', s.scene_name, 'result', s.result,
      'fault', s.fault, 'done', s.done, 'failed', s.failed, 'skipped', s.skipped,
      'dueAt', to_char(s.due_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by s.index), '[]')
      from timed_task_steps s where s.run_id = r.id) as steps`,
  from: part`timed_task_runs r`,
  filters: {
    taskId: part`r.task_id = $1`,
    sceneId: part`r.scene_id = $1`,
    state: part`r.state = $1`,
    cause: part`r.cause = $1`,
    id: part`r.id = $1`,
  },
  sorts: { dueAt: { by: part`r.due_at`, type: 'timestamptz' } },
  id: { by: part`r.id`, type: 'uuid' },
})

export interface ResultRow {
  index: number
  deviceId: string
  deviceName: string
  result: 'done' | 'failed' | 'skipped'
  fault: Fault | null
  commandId: string | null
  commandState: string | null
  at: Date
}

export const RESULTS = listSql<ResultRow & { id: string }, { result?: string }, 'index'>({
  columns: part`s.index, x.device_id as "deviceId", x.device_id as id, x.device_name as "deviceName", x.result, x.fault, x.command_id as "commandId",
    c.state as "commandState", x.at`,
  from: part`timed_task_results x join timed_task_steps s on s.id = x.step_id left join commands c on c.id = x.command_id`,
  where: part`s.run_id = $1`,
  given: 1,
  filters: { result: part`x.result = $1` },
  sorts: { index: { by: part`s.index::int`, type: 'int' } },
  id: { by: part`x.device_id`, type: 'uuid' },
})

const FORGET = sql`delete from timed_task_runs where id in (
  select id from timed_task_runs where due_at < $1 and state not in ('pending', 'running') order by due_at limit 5000)`

/** @returns how many were removed */
export async function forgetRuns(scope: SystemScope, before: Date): Promise<number> {
  return (await scope.run(FORGET, [before])).rowCount ?? 0
}

const BEHIND = sql<{ lag: number; waiting: number }>`select
  coalesce((select extract(epoch from $1::timestamptz - min(next_run)) from timed_tasks where enabled and fault is null and next_run <= $1), 0)::float8 as lag,
  (select count(*)::int from timed_task_runs where state in ('pending', 'running') and next_at <= $1) as waiting`

/** How long the oldest task that is due has waited, seconds, and how many runs wait. */
export async function behind(scope: SystemScope, now: Date): Promise<{ lag: number; waiting: number }> {
  return (await scope.run(BEHIND, [now])).rows[0]!
}
