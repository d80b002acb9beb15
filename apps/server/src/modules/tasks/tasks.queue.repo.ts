import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { FailureRow, TaskRow } from './tasks.repo.ts'
import { findTask } from './tasks.repo.ts'

/** How many tasks of one company run at a time: a company with many must not keep the others waiting. */
const PER_COMPANY = 2

const CLAIM_TASK = sql<{
  id: string
}>`update tasks set state = 'running', worker = $1, lease_until = now() + $3 * interval '1 millisecond',
    started_at = coalesce(started_at, now()), attempts = attempts + 1
  where id = (
    select t.id from tasks t
    where t.state = 'queued' and t.kind = any ($2)
      and (select count(*) from tasks r where r.tenant_id = t.tenant_id and r.state = 'running') < ${PER_COMPANY}
    order by t.created_at, t.id limit 1 for update skip locked)
  returning id`

/** Takes the oldest waiting task of these kinds, unless its company has its share running. */
export async function claimTask(
  scope: SystemScope,
  worker: string,
  kinds: readonly string[],
  leaseMs: number,
): Promise<TaskRow | undefined> {
  const { rows } = await scope.run(CLAIM_TASK, [worker, kinds, leaseMs])
  return rows[0] && findTask(scope, rows[0].id)
}

const ABANDONED_TASKS = sql<{
  id: string
}>`select id from tasks where state = 'running' and lease_until < now() and worker <> $1 for update skip locked`

/** Tasks whose process, another one than this, has let the lease run out; locked until the end of the transaction. */
export async function abandonedTasks(scope: SystemScope, worker: string): Promise<TaskRow[]> {
  const { rows } = await scope.run(ABANDONED_TASKS, [worker])
  const found: TaskRow[] = []
  for (const { id } of rows) {
    const row = await findTask(scope, id)
    if (row) found.push(row)
  }
  return found
}

const REQUEUE_TASK = sql`update tasks set state = 'queued', worker = null, lease_until = null where id = $1 and state = 'running'`

/** Gives a task back to the queue; it keeps its place. */
export async function requeueTask(scope: SystemScope, id: string): Promise<void> {
  await scope.run(REQUEUE_TASK, [id])
}

export interface Held {
  id: string
  cancelRequested: boolean
}

const PROLONG_LEASES = sql<Held>`update tasks set lease_until = now() + $2 * interval '1 millisecond'
  where worker = $1 and state = 'running' returning id, cancel_requested as "cancelRequested"`

/** Prolongs the leases of this process; a task that is not in the answer is no longer its own. */
export async function prolongLeases(scope: SystemScope, worker: string, leaseMs: number): Promise<Held[]> {
  const { rows } = await scope.run(PROLONG_LEASES, [worker, leaseMs])
  return rows
}

export interface Progress {
  done: number
  total: number | null
  failedCount: number
}

const UPDATE_TASKS = sql`update tasks set done = $3, total = $4, failed_count = $5 where id = $1 and worker = $2 and state = 'running'`

const INSERT_TASK_FAILURES = sql`insert into task_failures (task_id, tenant_id, n, item, code, params)
  select $1, $2, f.n, f.item, f.code, f.params
  from jsonb_to_recordset($3) as f (n int, item text, code text, params jsonb)
  on conflict (task_id, n) do update set item = excluded.item, code = excluded.code, params = excluded.params`

/** False when the task is no longer this process' own. */
export async function storeProgress(
  scope: SystemScope,
  task: { id: string; tenantId: string; worker: string },
  progress: Progress,
  failures: readonly FailureRow[],
): Promise<boolean> {
  const { rowCount } = await scope.run(UPDATE_TASKS, [
    task.id,
    task.worker,
    progress.done,
    progress.total,
    progress.failedCount,
  ])
  if (!rowCount) return false
  if (failures.length > 0) await scope.run(INSERT_TASK_FAILURES, [task.id, task.tenantId, JSON.stringify(failures)])
  return true
}

const STORE_FILE = sql`update tasks set file_key = $3, file_name = $4, file_type = $5, file_size = $6
  where id = $1 and worker = $2 and state = 'running'`

export async function storeFile(
  scope: SystemScope,
  task: { id: string; worker: string },
  file: { key: string; name: string; contentType: string; size: number },
): Promise<boolean> {
  const { rowCount } = await scope.run(STORE_FILE, [
    task.id,
    task.worker,
    file.key,
    file.name,
    file.contentType,
    file.size,
  ])
  return rowCount === 1
}

export interface Ending {
  state: 'succeeded' | 'partial' | 'failed' | 'cancelled'
  summary: Record<string, unknown> | null
  errorCode: string | null
  errorParams: Record<string, unknown> | null
}

const END_TASK = sql`update tasks set state = $3, summary = $4, error_code = $5, error_params = $6, ended_at = now(), worker = null,
    lease_until = null
  where id = $1 and state = 'running' and ($2::uuid is null or worker = $2)`

/** @param worker null: whoever holds it (an abandoned task); false when it was ended by somebody else before */
export async function endTask(scope: SystemScope, id: string, worker: string | null, ending: Ending): Promise<boolean> {
  const { rowCount } = await scope.run(END_TASK, [
    id,
    worker,
    ending.state,
    ending.summary && JSON.stringify(ending.summary),
    ending.errorCode,
    ending.errorParams && JSON.stringify(ending.errorParams),
  ])
  return rowCount === 1
}

const OUTDATED = sql<{
  id: string
  fileKey: string | null
}>`select id, file_key as "fileKey" from tasks where ended_at < now() - $1 * interval '1 day' order by ended_at limit $2`

/** Ended tasks older than this, oldest first. */
export async function outdatedTasks(
  scope: SystemScope,
  days: number,
  limit: number,
): Promise<{ id: string; fileKey: string | null }[]> {
  const { rows } = await scope.run(OUTDATED, [days, limit])
  return rows
}

const DELETE_TASK = sql`delete from tasks where id = $1`

export async function deleteTask(scope: SystemScope, id: string): Promise<void> {
  await scope.run(DELETE_TASK, [id])
}
