import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { filteredSql } from '../../lib/sql/filters.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export type TaskStateName = 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled'

export interface TaskRow {
  id: string
  tenantId: string
  kind: string
  titleZh: string
  titleEn: string
  input: unknown
  state: TaskStateName
  ownerId: string | null
  ownerName: string
  actor: StoredActor
  locale: 'zh' | 'en'
  ip: string | null
  retryOf: string | null
  done: number
  total: number | null
  failedCount: number
  summary: Record<string, unknown> | null
  errorCode: string | null
  errorParams: Record<string, unknown> | null
  fileKey: string | null
  fileName: string | null
  fileType: string | null
  fileSize: number | null
  cancelRequested: boolean
  worker: string | null
  attempts: number
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
  /** The time of creation as PostgreSQL prints it, with its microseconds. */
  position: string
}

/** An actor as it is stored with a task; sets are lists. */
export interface StoredActor {
  kind: 'member' | 'end_user' | 'operator' | 'apiKey' | 'system'
  [more: string]: unknown
}

type Scope = Pick<TenantScope | SystemScope, 'run'>

const COLUMNS = part`id, tenant_id as "tenantId", kind, title_zh as "titleZh", title_en as "titleEn", input, state,
  owner_id as "ownerId", owner_name as "ownerName", actor, locale, ip, retry_of as "retryOf", done, total,
  failed_count as "failedCount", summary, error_code as "errorCode", error_params as "errorParams",
  file_key as "fileKey", file_name as "fileName", file_type as "fileType", file_size as "fileSize",
  cancel_requested as "cancelRequested", worker, attempts, created_at as "createdAt", started_at as "startedAt",
  ended_at as "endedAt", created_at::text as position`

export interface NewTask {
  id: string
  tenantId: string
  kind: string
  titleZh: string
  titleEn: string
  input: unknown
  ownerId: string | null
  ownerName: string
  actor: StoredActor
  locale: string
  ip: string | null
  total: number | null
  retryOf: string | null
}

const INSERT_TASK = sql<TaskRow>`insert into tasks (id, tenant_id, kind, title_zh, title_en, input, owner_id, owner_name, actor, locale, ip, total, retry_of)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning ${COLUMNS}`

export async function insertTask(scope: Scope, task: NewTask): Promise<TaskRow> {
  const { rows } = await scope.run(INSERT_TASK, [
    task.id,
    task.tenantId,
    task.kind,
    task.titleZh,
    task.titleEn,
    JSON.stringify(task.input),
    task.ownerId,
    task.ownerName,
    JSON.stringify(task.actor),
    task.locale,
    task.ip,
    task.total,
    task.retryOf,
  ])
  return rows[0]!
}

const INSERT_ENDED = sql`update tasks set state = 'succeeded', started_at = created_at, ended_at = now() where id = $1`

/** Something that was done at once, kept beside what took longer. */
export async function insertEnded(scope: Scope, task: NewTask): Promise<void> {
  const { id } = await insertTask(scope, task)
  await scope.run(INSERT_ENDED, [id])
}

const FIND_TASK = sql<TaskRow>`select ${COLUMNS} from tasks where id = $1`

export async function findTask(scope: Scope, id: string): Promise<TaskRow | undefined> {
  return (await scope.run(FIND_TASK, [id])).rows[0]
}

const COUNT_OPEN = sql<{ count: number }>`select count(*) as count from tasks
  where tenant_id = $1 and owner_id is not distinct from $2 and state in ('queued', 'running')`

/** Waiting or running tasks of one person; those of the system count together. */
export async function countOpen(scope: TenantScope, ownerId: string | null): Promise<number> {
  const { rows } = await scope.run(COUNT_OPEN, [scope.tenantId, ownerId])
  return rows[0]!.count
}

const OPEN_TASKS = sql<TaskRow>`select ${COLUMNS} from tasks
  where tenant_id = $1 and owner_id = $2 and state in ('queued', 'running') order by created_at limit 100`

export async function openTasks(scope: TenantScope, ownerId: string): Promise<TaskRow[]> {
  const { rows } = await scope.run(OPEN_TASKS, [scope.tenantId, ownerId])
  return rows
}

export interface TaskFilter {
  tenantId?: string
  ownerId?: string
  state?: string
  kind?: string
}

const FILTERS = {
  tenantId: part`tenant_id = $1`,
  ownerId: part`owner_id = $1`,
  state: part`state = $1`,
  kind: part`kind = $1`,
}
const LIST = {
  first: filteredSql<TaskRow, TaskFilter>(
    { filters: FILTERS, given: 1 },
    where => part`select ${COLUMNS} from tasks where ${where} order by created_at desc, id desc limit $1`,
  ),
  next: filteredSql<TaskRow, TaskFilter>(
    { filters: FILTERS, given: 3, alike: true },
    where => part`select ${COLUMNS} from tasks where ${where} and (created_at, id) < ($1::timestamptz, $2::uuid)
      order by created_at desc, id desc limit $3`,
  ),
}

/** Newest first. */
export async function listTasks(
  scope: Scope,
  filter: TaskFilter,
  after: readonly [at: string, id: string] | null,
  limit: number,
): Promise<TaskRow[]> {
  const statements = after ? LIST.next : LIST.first
  return (await scope.run(...statements.of(filter, ...(after ?? []), limit))).rows
}

const REQUEST_CANCEL = sql<TaskRow>`update tasks set cancel_requested = true,
    state = case when state = 'queued' then 'cancelled' else state end,
    ended_at = case when state = 'queued' then now() else ended_at end
  where id = $1 and state in ('queued', 'running') returning ${COLUMNS}`

/** Ends a waiting task, asks a running one to stop; undefined when it has ended already. */
export async function requestCancel(scope: Scope, id: string): Promise<TaskRow | undefined> {
  const { rows } = await scope.run(REQUEST_CANCEL, [id])
  return rows[0]
}

export interface FailureRow {
  n: number
  item: string
  code: string
  params: Record<string, unknown>
}

const FAILURES = sql<FailureRow>`select n, item, code, params from task_failures where task_id = $1 and n > $2 order by n limit $3`

export async function listFailures(scope: Scope, taskId: string, after: number, limit: number): Promise<FailureRow[]> {
  const { rows } = await scope.run(FAILURES, [taskId, after, limit])
  return rows
}
