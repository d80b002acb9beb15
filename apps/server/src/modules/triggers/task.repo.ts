import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

export interface TaskRow {
  id: string
  tenantId: string
  triggerId: string
  triggerName: string
  ownerId: string | null
  secrets: Buffer | null
  level: number | null
  action: { kind: string } & Record<string, unknown>
  cause: 'raised' | 'cleared' | 'paused'
  at: Date
  alarmId: string | null
  suppressed: boolean
  /** Its alarm came in a storm and was merged into the first. */
  inStorm: boolean
  device: { id: string; name: string; deviceNo: string; productKey: string } | null
  values: { deviceId: string | null; property: string; value: unknown; ts: number }[]
  attempts: number
}

const DUE = sql<TaskRow>`with due as (
    select a.id from trigger_actions a where a.result = 'pending' and a.due_at <= clock_timestamp()
    order by a.due_at, a.id limit $1 for update skip locked),
  taken as (
    update trigger_actions a set attempts = attempts + 1, due_at = clock_timestamp() + interval '1 minute' from due
    where a.id = due.id returning a.*)
  select a.id, a.tenant_id as "tenantId", t.id as "triggerId", t.name as "triggerName", t.created_by as "ownerId",
    t.secrets_cipher as secrets, coalesce(l.level, (t.document #>> '{alarm,level}')::int) as level, a.action, r.cause, r.at,
    l.id as "alarmId", coalesce(l.suppressed, false) as suppressed, l.storm_id is not null as "inStorm",
    case when d.id is null then null else jsonb_build_object('id', d.id, 'name', d.name, 'deviceNo', d.device_no, 'productKey', o.product_key) end as device,
    r.values, a.attempts
  from taken a join trigger_runs r on r.id = a.run_id join triggers t on t.id = a.trigger_id
  left join devices d on d.id = r.device_id left join products o on o.id = d.product_id left join alarms l on l.id = r.alarm_id
  order by a.created_at, r.id, a.index`

/** Takes the actions that are due; one whose result is not written within a minute is taken again. */
export async function takeDue(scope: SystemScope, limit: number): Promise<TaskRow[]> {
  return (await scope.run(DUE, [limit])).rows
}

const FINISH = sql`update trigger_actions set result = $2, message = $3, command_id = $4, finished_at = clock_timestamp() where id = $1`
const AGAIN = sql`update trigger_actions set message = $2, due_at = clock_timestamp() + make_interval(secs => $3::int) where id = $1`

export async function finish(
  scope: SystemScope,
  id: string,
  outcome: { result: string; message: string | null; commandId: string | null },
): Promise<void> {
  await scope.run(FINISH, [id, outcome.result, outcome.message, outcome.commandId])
}

const SKIP = sql`update trigger_actions a set result = 'skipped', message = v.message, finished_at = clock_timestamp()
  from unnest($1::uuid[], $2::text[]) as v (id, message) where a.id = v.id`

export async function skip(scope: SystemScope, tasks: readonly { id: string; message: string }[]): Promise<void> {
  await scope.run(SKIP, [tasks.map(({ id }) => id), tasks.map(({ message }) => message)])
}

export async function again(scope: SystemScope, id: string, message: string | null, seconds: number): Promise<void> {
  await scope.run(AGAIN, [id, message, seconds])
}

const PAUSED = sql<{
  id: string
  tenantId: string
  name: string
  ownerId: string | null
}>`select id, tenant_id as "tenantId", name,
  created_by as "ownerId" from triggers where id = any ($1::uuid[])`

export async function pausedTriggers(scope: SystemScope, ids: readonly string[]) {
  return (await scope.run(PAUSED, [ids])).rows
}

const FORGET_RUNS = sql`delete from trigger_runs where id in (
  select r.id from tenants t cross join lateral (
    select id from trigger_runs where tenant_id = t.id and at < $1::timestamptz - make_interval(days =>
      case when t.settings #>> '{retention,triggerRunDays}' ~ '^\\d{1,4}$'
        then greatest((t.settings #>> '{retention,triggerRunDays}')::int, 7) else 90 end)
    order by at limit $2) r
  limit $2)`

/** Removes runs that are older than their company keeps them. @returns how many, at most `limit` */
export async function forgetRuns(scope: SystemScope, now: Date, limit: number): Promise<number> {
  return (await scope.run(FORGET_RUNS, [now, limit])).rowCount ?? 0
}
