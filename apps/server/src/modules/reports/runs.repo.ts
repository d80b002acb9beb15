import type { ReportRunState } from '@thingwright/contracts/reports.contract'
import type { Schedule } from '@thingwright/schedules'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { Fault } from './reports.repo.ts'

export interface DueRow {
  id: string
  tenantId: string
  schedule: Schedule
  misfire: 'skip' | 'once'
  misfireMinutes: number
  nextRun: Date
}

const DUE = sql<DueRow>`select r.id, r.tenant_id as "tenantId", r.schedule, r.misfire, r.misfire_minutes as "misfireMinutes", r.next_run as "nextRun"
  from reports r where r.enabled and r.fault is null and r.next_run <= $1 order by r.next_run limit $2 for update skip locked`

/** Reports whose run is due, held until the transaction ends. What another process holds is left to it. */
export async function dueReports(scope: SystemScope, now: Date, limit: number): Promise<DueRow[]> {
  return (await scope.run(DUE, [now, limit])).rows
}

const ADVANCE = sql`update reports set next_run = $2 where id = $1`

export async function advance(scope: SystemScope, id: string, next: Date | null): Promise<void> {
  await scope.run(ADVANCE, [id, next])
}

export interface NewRun {
  id: string
  tenantId: string
  reportId: string
  cause: 'schedule' | 'manual'
  byName: string
  dueAt: Date
  missed: number
  state: 'pending' | 'skipped'
  fault: Fault | null
  /** Of one that is skipped. */
  finishedAt: Date | null
}

const INSERT = sql`insert into report_runs (id, tenant_id, report_id, cause, by_name, due_at, missed, state, fault, finished_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (report_id, due_at) where cause = 'schedule' do nothing`

export async function insertRun(scope: Runner, run: NewRun): Promise<void> {
  await scope.run(INSERT, [
    run.id,
    run.tenantId,
    run.reportId,
    run.cause,
    run.byName,
    run.dueAt,
    run.missed,
    run.state,
    run.fault && JSON.stringify(run.fault),
    run.finishedAt,
  ])
}

export interface WaitingRun {
  id: string
  tenantId: string
  reportId: string
  name: string
  locale: 'zh' | 'en'
  ownerId: string | null
}

const WAITING = sql<WaitingRun>`select n.id, n.tenant_id as "tenantId", n.report_id as "reportId", r.name, r.locale, r.created_by as "ownerId"
  from report_runs n join reports r on r.id = n.report_id where n.state = 'pending' order by n.created_at, n.id limit $1`

/** Runs that no task works at yet. */
export async function waitingRuns(scope: SystemScope, limit: number): Promise<WaitingRun[]> {
  return (await scope.run(WAITING, [limit])).rows
}

const HOLD_WAITING = sql<{
  id: string
}>`select id from report_runs where id = $1 and state = 'pending' for update skip locked`

/** False when another process has it, or had it. */
export async function holdWaiting(scope: TenantScope, id: string): Promise<boolean> {
  return (await scope.run(HOLD_WAITING, [id])).rows.length > 0
}

const BEGIN = sql`update report_runs set state = 'running', task_id = $2, started_at = $3 where id = $1`

export async function begin(scope: TenantScope, id: string, taskId: string, now: Date): Promise<void> {
  await scope.run(BEGIN, [id, taskId, now])
}

export interface WorkRow {
  id: string
  reportId: string
  state: ReportRunState
  dueAt: Date
}
const WORK = sql<WorkRow>`select id, report_id as "reportId", state, due_at as "dueAt" from report_runs where id = $1`

export async function workOf(scope: TenantScope, id: string): Promise<WorkRow | undefined> {
  return (await scope.run(WORK, [id])).rows[0]
}

const STORE_FILE = sql`update report_runs set file_name = $2, size = $3, rows = $4 where id = $1 and state = 'running'`

export async function storeFile(
  scope: TenantScope,
  id: string,
  file: { name: string; size: number; rows: number },
): Promise<void> {
  await scope.run(STORE_FILE, [id, file.name, file.size, file.rows])
}

const INSERT_MAILS = sql`insert into report_mails (run_id, place, tenant_id, name, address, state, reason)
  select $1, v.place, $2, v.name, v.address, case when v.address is null then 'failed' else 'pending' end,
    case when v.address is null then 'report.recipient_gone' end
  from jsonb_to_recordset($3::jsonb) as v (place smallint, name text, address text) on conflict (run_id, place) do nothing`

/** Lines of those that are mailed; a run that is done anew keeps those it has. */
export async function insertMails(
  scope: TenantScope,
  runId: string,
  mails: readonly { name: string; address: string | null }[],
): Promise<void> {
  const rows = mails.map((mail, place) => ({ place, ...mail }))
  await scope.run(INSERT_MAILS, [runId, scope.tenantId, JSON.stringify(rows)])
}

export interface PendingMail {
  place: number
  name: string
  address: string
}
const PENDING_MAILS = sql<PendingMail>`select place, name, address as "address" from report_mails
  where run_id = $1 and state = 'pending' and address is not null order by place`

export async function pendingMails(scope: TenantScope, runId: string): Promise<PendingMail[]> {
  return (await scope.run(PENDING_MAILS, [runId])).rows
}

const END_MAIL = sql`update report_mails set state = $3, reason = $4, as_link = $5, sent_at = $6 where run_id = $1 and place = $2`

export async function endMail(
  scope: TenantScope,
  runId: string,
  place: number,
  end: { state: 'sent' | 'failed'; reason: string | null; asLink: boolean; sentAt: Date | null },
): Promise<void> {
  await scope.run(END_MAIL, [runId, place, end.state, end.reason, end.asLink, end.sentAt])
}

const COUNT_MAILS = sql<{
  sent: number
  failed: number
  reason: string | null
}>`select (count(*) filter (where state = 'sent'))::int as sent, (count(*) filter (where state = 'failed'))::int as failed,
    max(reason) filter (where state = 'failed') as reason
  from report_mails where run_id = $1`

export async function countMails(
  scope: TenantScope,
  runId: string,
): Promise<{ sent: number; failed: number; reason: string | null }> {
  return (await scope.run(COUNT_MAILS, [runId])).rows[0]!
}

const END = sql<{
  id: string
}>`with ended as (update report_runs set state = $2, fault = $3, finished_at = $4 where id = $1 and state in ('pending', 'running') returning report_id)
  update reports r set last_run_at = $4 from ended where r.id = ended.report_id returning r.id`

/** False when it had ended before. */
export async function endRun(
  scope: Runner,
  id: string,
  state: Exclude<ReportRunState, 'pending' | 'running'>,
  fault: Fault | null,
  now: Date,
): Promise<boolean> {
  return (await scope.run(END, [id, state, fault && JSON.stringify(fault), now])).rows.length > 0
}

const SET_FAULT = sql`update reports set fault = $2, updated_at = now() where id = $1`

/** It does not run any more until a person changes it. */
export async function setFault(scope: Runner, id: string, fault: Fault): Promise<void> {
  await scope.run(SET_FAULT, [id, JSON.stringify(fault)])
}

export interface StoppedRun {
  id: string
  tenantId: string
  reportId: string
  code: string | null
  params: Record<string, unknown> | null
}
const STOPPED = sql<StoppedRun>`select n.id, n.tenant_id as "tenantId", n.report_id as "reportId", t.error_code as code, t.error_params as params
  from report_runs n left join tasks t on t.id = n.task_id
  where n.state = 'running' and (t.id is null or t.state not in ('queued', 'running')) limit $1`

/** Runs whose task ended without ending them: it was stopped, or its owner lost what it takes. */
export async function stoppedRuns(scope: SystemScope, limit: number): Promise<StoppedRun[]> {
  return (await scope.run(STOPPED, [limit])).rows
}

const FORGET = sql`delete from report_runs where due_at < $1 and state not in ('pending', 'running')`

export async function forgetRuns(scope: SystemScope, before: Date): Promise<number> {
  return (await scope.run(FORGET, [before])).rowCount ?? 0
}

const LAG = sql<{
  waiting: number
  lag: number
}>`select (select count(*)::int from report_runs where state = 'pending') as waiting,
    coalesce(extract(epoch from $1::timestamptz - min(r.next_run)), 0)::float8 as lag
  from reports r where r.enabled and r.fault is null and r.next_run <= $1`

/** Runs that wait for a task, and seconds by which the oldest due report is late. */
export async function behind(scope: SystemScope, now: Date): Promise<{ waiting: number; lag: number }> {
  return (await scope.run(LAG, [now])).rows[0]!
}

export interface MailLine {
  name: string
  address: string | null
  state: 'pending' | 'sent' | 'failed'
  reason: string | null
  asLink: boolean
  sentAt: string | null
}

export interface RunRow {
  id: string
  reportId: string
  name: string
  cause: 'schedule' | 'manual'
  byName: string
  dueAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  missed: number
  state: ReportRunState
  fault: Fault | null
  fileName: string | null
  size: number | null
  rows: number | null
  taskId: string | null
  ownerId: string | null
  mails: MailLine[]
}

export interface RunFilter {
  id?: string
  reportId?: string
  state?: string
}

export const RUNS = listSql<RunRow, RunFilter, 'dueAt'>({
  columns: part`n.id, n.report_id as "reportId", r.name, n.cause, n.by_name as "byName", n.due_at as "dueAt", n.started_at as "startedAt",
    n.finished_at as "finishedAt", n.missed, n.state, n.fault, n.file_name as "fileName", n.size::float8 as size, n.rows,
    n.task_id as "taskId", r.created_by as "ownerId",
    (select coalesce(jsonb_agg(jsonb_build_object('name', m.name, 'address', m.address, 'state', m.state, 'reason', m.reason,
      'asLink', m.as_link, 'sentAt', to_char(m.sent_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by m.place), '[]')
      from report_mails m where m.run_id = n.id) as mails`,
  from: part`report_runs n join reports r on r.id = n.report_id`,
  filters: { id: part`n.id = $1`, reportId: part`n.report_id = $1`, state: part`n.state = $1` },
  sorts: { dueAt: { by: part`n.due_at`, type: 'timestamptz' } },
  id: { by: part`n.id`, type: 'uuid' },
})

const NAME = sql<{ name: string }>`select name from reports where id = $1`

export async function nameOf(scope: SystemScope, reportId: string): Promise<string | null> {
  return (await scope.run(NAME, [reportId])).rows[0]?.name ?? null
}
