import type { TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { holdable, part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export interface SceneRow {
  id: string
  name: string
  description: string
  actions: TimedAction[]
  tasks: number
  ownerId: string | null
  ownerName: string
  lastRunAt: Date | null
  lastState: 'pending' | 'running' | 'done' | 'partial' | 'failed' | 'skipped' | null
  version: number
  createdAt: Date
  updatedAt: Date
}

const COLUMNS = part`s.id, s.name, s.description, s.actions, s.created_by as "ownerId", s.created_by_name as "ownerName",
  s.last_run_at as "lastRunAt", s.version, s.created_at as "createdAt", s.updated_at as "updatedAt",
  (select count(*)::int from timed_tasks t where t.scene_ids @> array[s.id]) as tasks,
  (select r.state from timed_task_runs r where r.scene_id = s.id order by r.due_at desc, r.id desc limit 1) as "lastState"`

const FIND = holdable(sql<SceneRow>`select ${COLUMNS} from scenes s where s.id = $1`, part`for update of s`)

export async function find(scope: TenantScope, id: string, lock = false): Promise<SceneRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

export const SCENE_SORTS = ['createdAt', 'name', 'lastRunAt'] as const

export const LIST = listSql<SceneRow, { q?: string; userId?: string }, (typeof SCENE_SORTS)[number]>({
  columns: COLUMNS,
  from: part`scenes s`,
  filters: {
    q: part`s.name ilike $1`,
    userId: part`(s.created_by in (select u.id from end_users u where u.path @> array[$1::uuid])
      or exists (select 1 from devices d join end_users u on u.id = d.owner_id and u.path @> array[$1::uuid]
        where strpos(s.actions::text, d.id::text) > 0))`,
  },
  sorts: {
    createdAt: { by: part`s.created_at`, type: 'timestamptz' },
    name: { by: part`s.name`, type: 'text' },
    lastRunAt: { by: part`coalesce(s.last_run_at, '-infinity')`, type: 'timestamptz' },
  },
  id: { by: part`s.id`, type: 'uuid' },
})

const COUNT = sql<{ n: number }>`select count(*)::int as n from scenes`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

interface SceneValues {
  id: string
  tenantId: string
  name: string
  description: string
  actions: readonly TimedAction[]
  ownerId: string | null
  ownerName: string
}

const VALUES = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  description: 'description',
  actions: { json: 'actions' },
  ownerId: 'created_by',
  ownerName: 'created_by_name',
} as const

const INSERT = insertInto<SceneValues>(part`scenes`, VALUES)

export async function insert(scope: TenantScope, row: SceneValues): Promise<void> {
  await scope.run(...INSERT.of(row))
}

const UPDATE = updateOf<Partial<SceneValues>>(part`scenes`, VALUES, {
  always: part`version = version + 1, updated_at = now()`,
  where: part`id = $1`,
  given: 1,
})

export async function update(scope: TenantScope, id: string, change: Partial<SceneValues>): Promise<void> {
  await scope.run(...UPDATE.of(change, id))
}

const REMOVE = sql`delete from scenes where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const TASKS_OF = sql<{ n: number }>`select count(*)::int as n from timed_tasks where scene_ids @> array[$1::uuid]`

/** Tasks that run it, whoever may see them. */
export async function countTasks(scope: TenantScope, id: string): Promise<number> {
  return (await scope.run(TASKS_OF, [id])).rows[0]!.n
}

const BY_ID = sql<{ id: string; name: string; actions: TimedAction[] }>`select id, name, actions from scenes
  where tenant_id = $1 and id = any ($2::uuid[])`

export async function scenesById(
  run: Runner,
  tenantId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string; actions: TimedAction[] }[]> {
  return ids.length === 0 ? [] : (await run.run(BY_ID, [tenantId, ids])).rows
}
