import { part, type Runner, type SqlPart, sql } from '../../lib/sql/statement.ts'
import type { Job, Noted } from './ota-machine.ts'

/** A transaction of any role that may see the rows. */
export type Query = Runner

/** A job as it is changed: its states, and whose it is. */
export interface JobRow extends Job {
  id: string
  tenantId: string
  campaignId: string
  productId: string
  deviceId: string
  device: number
  module: string
  packageId: string
  /** Lines of its time line so far. */
  events: number
}

const ms = (column: SqlPart, name: SqlPart) => part`(extract(epoch from ${column}) * 1000)::float8 as "${name}"`
/** Columns of a JobRow, of the alias j. */
export const JOB_COLUMNS = part`j.id, j.tenant_id as "tenantId", j.campaign_id as "campaignId", j.product_id as "productId",
  j.device_id as "deviceId", j.device, j.module, j.from_version as "fromVersion", j.to_version as "toVersion", j.steps, j.step,
  j.package_id as "packageId", j.state, j.percent, j.waiting_for as "waitingFor", j.attempt, j.tries, j.error_code as "errorCode",
  j.message, j.command_id as "commandId", j.command_state as "commandState", j.events, ${ms(part`j.notified_at`, part`notifiedAt`)},
  ${ms(part`j.first_notified_at`, part`firstNotifiedAt`)}, ${ms(part`j.changed_at`, part`changedAt`)}, ${ms(part`j.due_at`, part`dueAt`)},
  ${ms(part`j.next_at`, part`nextAt`)}, ${ms(part`j.finished_at`, part`finishedAt`)}`

/** Lines of one job; a device that talks without end fills no disk. */
export const MAX_EVENTS = 500

type Line = Omit<Noted, 'kind'> & { kind: NewEvent['kind'] }

export interface NewEvent extends Omit<Noted, 'kind'> {
  kind: Noted['kind'] | 'created' | 'waiting' | 'delivered' | 'download'
  tenantId: string
  jobId: string | null
  device: number
  module: string
  /** Epoch ms. */
  at: number
}

const SAVE_JOBS = sql`update ota_jobs j set from_version = r."fromVersion", steps = r.steps, step = r.step, package_id = r."packageId",
    state = r.state, percent = r.percent, waiting_for = r."waitingFor", attempt = r.attempt, tries = r.tries,
    error_code = r."errorCode", message = r.message, command_id = r."commandId", command_state = r."commandState",
    notified_at = to_timestamp(r."notifiedAt" / 1000), first_notified_at = to_timestamp(r."firstNotifiedAt" / 1000),
    changed_at = to_timestamp(r."changedAt" / 1000), due_at = to_timestamp(r."dueAt" / 1000),
    next_at = to_timestamp(r."nextAt" / 1000), finished_at = to_timestamp(r."finishedAt" / 1000), events = r.events
  from jsonb_to_recordset($1::jsonb) as r (id uuid, "fromVersion" text, steps jsonb, step int, "packageId" uuid, state text,
    percent int, "waitingFor" text, attempt int, tries int, "errorCode" text, message text, "commandId" uuid,
    "commandState" text, "notifiedAt" float8, "firstNotifiedAt" float8, "changedAt" float8, "dueAt" float8,
    "nextAt" float8, "finishedAt" float8, events int)
  where j.id = r.id`

/** Writes whole job states back, in one statement. */
export async function saveJobs(scope: Query, jobs: readonly JobRow[]): Promise<void> {
  if (jobs.length === 0) return
  await scope.run(SAVE_JOBS, [JSON.stringify(jobs)])
}

const INSERT_EVENTS = sql`insert into ota_job_events (tenant_id, job_id, device, module, at, kind, state, percent, message, data)
  select "tenantId", "jobId", device, module, to_timestamp(at / 1000), kind, state, percent, message, data
  from jsonb_to_recordset($1::jsonb) as r ("tenantId" uuid, "jobId" uuid, device int, module text,
    at float8, kind text, state text, percent int, message text, data jsonb)`

/** Adds lines to time lines, in their order. */
export async function insertEvents(scope: Query, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await scope.run(INSERT_EVENTS, [JSON.stringify(events)])
}

/** Lines of one outcome, as far as there is room in the job's time line. The job counts them. */
export function eventsOf(job: JobRow, noted: readonly Line[], at: number): NewEvent[] {
  const lines: NewEvent[] = []
  for (const line of noted) {
    // Ends are always told.
    if (job.events >= MAX_EVENTS && line.kind === 'progress') continue
    job.events++
    const { tenantId, id: jobId, device, module } = job
    lines.push({ ...line, tenantId, jobId, device, module, at })
  }
  return lines
}

const DELETE_OLD_EVENTS = sql`delete from ota_job_events where id in (select id from ota_job_events order by id limit 20000)
  and at < to_timestamp($1::float8 / 1000)`

/** Removes some of the oldest lines, where they are older than a moment (epoch ms). */
export async function deleteOldEvents(scope: Query, before: number): Promise<void> {
  await scope.run(DELETE_OLD_EVENTS, [before])
}
