import type { TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import type { Schedule } from '@thingwright/schedules'
import type { TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { holdable, part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export { containing, type ListPosition } from '../../lib/sql/list.ts'

export interface Fault {
  code: string
  params?: Record<string, unknown>
}

export interface TaskRow {
  id: string
  tenantId: string
  name: string
  description: string
  schedule: Schedule
  kind: Schedule['kind']
  calendarId: string | null
  actions: TimedAction[]
  offActions: TimedAction[]
  misfire: 'skip' | 'once'
  misfireMinutes: number
  enabled: boolean
  fault: Fault | null
  state: 'enabled' | 'disabled' | 'error' | 'ended'
  nextRun: Date | null
  ownerId: string | null
  ownerName: string
  lastRunAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

const STATE = part`case when t.fault is not null then 'error' when not t.enabled then 'disabled' when t.next_run is null then 'ended' else 'enabled' end`

export const TASK_COLUMNS = part`t.id, t.tenant_id as "tenantId", t.name, t.description, t.schedule, t.kind, t.calendar_id as "calendarId",
  t.actions, t.off_actions as "offActions", t.misfire, t.misfire_minutes as "misfireMinutes", t.enabled, t.fault, ${STATE} as state,
  t.next_run as "nextRun", t.created_by as "ownerId", t.created_by_name as "ownerName", t.last_run_at as "lastRunAt", t.version,
  t.created_at as "createdAt", t.updated_at as "updatedAt"`

export type ListedTask = TaskRow & {
  lastState: 'pending' | 'running' | 'done' | 'partial' | 'failed' | 'skipped' | null
}
const LISTED = part`${TASK_COLUMNS},
  (select r.state from timed_task_runs r where r.task_id = t.id order by r.due_at desc, r.id desc limit 1) as "lastState"`

const FIND = holdable(sql<ListedTask>`select ${LISTED} from timed_tasks t where t.id = $1`, part`for update of t`)

export async function find(scope: TenantScope, id: string, lock = false): Promise<ListedTask | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

export interface TaskFilter {
  q?: string
  state?: string
  kind?: string
  deviceId?: string
  sceneId?: string
  userId?: string
}
export const TASK_SORTS = ['createdAt', 'name', 'nextRunAt', 'lastRunAt'] as const
export type TaskSort = (typeof TASK_SORTS)[number]

/** A scope that holds the device of these variables. */
const HOLDS = part`'$[*].scope ? (@.deviceIds[*] == $d || @.productIds[*] == $p || @.tags[*] == $t[*] || @.groupIds[*] == $g[*])'`
const VARIABLES = part`jsonb_build_object('d', d.id::text, 'p', d.product_id::text, 't', to_jsonb(d.tags), 'g', coalesce((
  with recursive up as (select g.id, g.parent_id from groups g where g.id = d.group_id
    union select g.id, g.parent_id from groups g join up u on g.id = u.parent_id)
  select jsonb_agg(id::text) from up), '[]'))`

export const LIST = listSql<ListedTask, TaskFilter, TaskSort>({
  columns: LISTED,
  from: part`timed_tasks t`,
  filters: {
    q: part`t.name ilike $1`,
    state: part`${STATE} = $1`,
    kind: part`t.kind = $1`,
    deviceId: part`exists (select 1 from devices d, lateral (select ${VARIABLES} as v) x where d.id = $1
      and (jsonb_path_exists(t.actions || t.off_actions, ${HOLDS}, x.v)
        or exists (select 1 from scenes s where s.id = any (t.scene_ids) and jsonb_path_exists(s.actions, ${HOLDS}, x.v))))`,
    sceneId: part`$1 = any (t.scene_ids)`,
    // Made by him or by somebody below him, or for a device of theirs.
    userId: part`(t.created_by in (select u.id from end_users u where u.path @> array[$1::uuid])
      or exists (select 1 from devices d join end_users u on u.id = d.owner_id and u.path @> array[$1::uuid]
        where strpos(t.actions::text || t.off_actions::text, d.id::text) > 0))`,
  },
  sorts: {
    createdAt: { by: part`t.created_at`, type: 'timestamptz' },
    name: { by: part`t.name`, type: 'text' },
    nextRunAt: { by: part`coalesce(t.next_run, 'infinity')`, type: 'timestamptz' },
    lastRunAt: { by: part`coalesce(t.last_run_at, '-infinity')`, type: 'timestamptz' },
  },
  id: { by: part`t.id`, type: 'uuid' },
})

const COUNT = sql<{ n: number }>`select count(*)::int as n from timed_tasks`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

export interface TaskValues {
  id: string
  tenantId: string
  name: string
  description: string
  schedule: Schedule
  kind: string
  calendarId: string | null
  actions: readonly TimedAction[]
  offActions: readonly TimedAction[]
  sceneIds: readonly string[]
  misfire: string
  misfireMinutes: number
  enabled: boolean
  fault: Fault | null
  nextRun: Date | null
  ownerId: string | null
  ownerName: string
}

const COLUMNS = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  description: 'description',
  schedule: { json: 'schedule' },
  kind: 'kind',
  calendarId: 'calendar_id',
  actions: { json: 'actions' },
  offActions: { json: 'off_actions' },
  sceneIds: 'scene_ids',
  misfire: 'misfire',
  misfireMinutes: 'misfire_minutes',
  enabled: 'enabled',
  fault: { json: 'fault' },
  nextRun: 'next_run',
  ownerId: 'created_by',
  ownerName: 'created_by_name',
} as const

const INSERT = insertInto<TaskValues>(part`timed_tasks`, COLUMNS)

export async function insert(scope: TenantScope, row: TaskValues): Promise<void> {
  await scope.run(...INSERT.of(row))
}

const UPDATE = updateOf<Partial<TaskValues>>(part`timed_tasks`, COLUMNS, {
  always: part`version = version + 1, updated_at = now()`,
  where: part`id = $1`,
  given: 1,
})

export async function update(scope: TenantScope, id: string, change: Partial<TaskValues>): Promise<void> {
  await scope.run(...UPDATE.of(change, id))
}

const REMOVE = sql`delete from timed_tasks where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const OF_CALENDAR = sql<TaskRow>`select ${TASK_COLUMNS} from timed_tasks t where t.calendar_id = $1 order by t.id for update of t`

/** Tasks that go by a calendar, held. */
export async function ofCalendar(scope: TenantScope, calendarId: string): Promise<TaskRow[]> {
  return (await scope.run(OF_CALENDAR, [calendarId])).rows
}

const SET_NEXT = sql`update timed_tasks set next_run = $2 where id = $1`

export async function setNext(scope: Runner, id: string, next: Date | null): Promise<void> {
  await scope.run(SET_NEXT, [id, next])
}

// Owners

const COUNT_OWNED = sql<{ n: number }>`select count(*)::int as n from timed_tasks where created_by = $1`
const HAND_OVER = sql<{ id: string }>`update timed_tasks set created_by = $2, version = version + 1, updated_at = now(),
  fault = case when fault ->> 'code' = 'timed_task.owner_gone' then null else fault end
  where created_by = $1 returning id`
const HAND_OVER_SCENES = sql`update scenes set created_by = $2, version = version + 1, updated_at = now() where created_by = $1`

export async function countOwned(scope: TenantScope, loginId: string): Promise<number> {
  return (await scope.run(COUNT_OWNED, [loginId])).rows[0]!.n
}

/** Gives tasks and scenes of a member to another one. @returns how many tasks */
export async function handOver(scope: TenantScope, from: string, to: string): Promise<number> {
  await scope.run(HAND_OVER_SCENES, [from, to])
  return (await scope.run(HAND_OVER, [from, to])).rows.length
}

const NAMES_DEVICE = part`exists (select 1 from unnest($2::text[]) as d (id) where strpos(t.actions::text || t.off_actions::text, d.id) > 0
  or exists (select 1 from scenes s where s.id = any (t.scene_ids) and strpos(s.actions::text, d.id) > 0))`

const PAUSE_OF_OTHERS = sql<{
  id: string
  name: string
}>`update timed_tasks t set enabled = false, version = version + 1, updated_at = now()
  where t.tenant_id = $1 and t.enabled
    and ($4 or t.created_by in (select u.id from end_users u where u.tenant_id = $1) and t.created_by <> all ($3::uuid[]))
    and ${NAMES_DEVICE}
  returning t.id, t.name`

/**
 * Stops the tasks of end users that name one of the devices, but for those of `keep`.
 * @param all those of members too: the devices left the company
 */
export async function pauseOfOthers(
  scope: TenantScope,
  deviceIds: readonly string[],
  keep: readonly string[],
  all = false,
): Promise<{ id: string; name: string }[]> {
  return (await scope.run(PAUSE_OF_OTHERS, [scope.tenantId, deviceIds, keep, all])).rows
}

const GO_ALONG = sql<{ id: string }>`update timed_tasks t set created_by = $4,
    created_by_name = coalesce((select username from logins where id = $4), created_by_name), version = version + 1, updated_at = now()
  where t.tenant_id = $1 and t.created_by = any ($3::uuid[]) and cardinality(t.scene_ids) = 0 and ${NAMES_DEVICE}
    and not exists (select 1 from jsonb_path_query(t.actions || t.off_actions, '$[*].scope.deviceIds[*]') d where d #>> '{}' <> all ($2::text[]))
    and not jsonb_path_exists(t.actions || t.off_actions, '$[*].scope ? (exists (@.productIds) || exists (@.groupIds) || exists (@.tags))')
  returning t.id`

/** Gives tasks that act on these devices alone to another owner. */
export async function goAlong(
  scope: TenantScope,
  deviceIds: readonly string[],
  from: readonly string[],
  to: string,
): Promise<string[]> {
  return (await scope.run(GO_ALONG, [scope.tenantId, deviceIds, from, to])).rows.map(({ id }) => id)
}
