import type { CampaignState } from '@thingwright/contracts/firmware-schemas'
import { sql } from '../../lib/sql/statement.ts'
import type { FirmwareReport } from './firmware.port.ts'
import { eventsOf, insertEvents, JOB_COLUMNS, type JobRow, type NewEvent, type Query, saveJobs } from './jobs.rows.ts'
import { type Happening, type Rules, step } from './ota-machine.ts'
import { isSameVersion } from './version-key.ts'

/** What a device said of its firmware, as its journal row holds it. */
export interface DeviceReport {
  device: number
  /** Epoch ms of arrival. */
  at: number
  report: FirmwareReport
}

/**
 * Takes what devices said into their versions, updates and time lines, in the caller's transaction. The same reports once
 * more change nothing, so the journal may be read again from any place.
 * @param scope a connection of the telemetry or system role
 * @returns devices whose update or version changed
 */
export async function applyFirmwareReports(scope: Query, reports: readonly DeviceReport[]): Promise<number[]> {
  if (reports.length === 0) return []
  const devices = [...new Set(reports.map(each => each.device))]
  const tenants = await tenantsOf(scope, devices)
  const jobs = await latestJobs(scope, devices)
  const rules = await rulesOf(scope, [...new Set(jobs.map(job => job.campaignId))])
  const versions = await versionsOf(scope, devices)
  const events: NewEvent[] = []
  const changed = new Set<JobRow>()
  const informed = new Map<string, VersionRow>()

  const apply = (job: JobRow, happening: Happening, at: number) => {
    const outcome = step(job, happening, rules.get(job.campaignId)!, at)
    if (!outcome) return false
    Object.assign(job, outcome.job)
    job.packageId = job.steps[job.step - 1]?.packageId ?? job.packageId
    events.push(...eventsOf(job, outcome.noted, at))
    changed.add(job)
    return true
  }

  for (const { device, at, report } of reports) {
    const tenantId = tenants.get(device)
    // It was removed while its words were on the way.
    if (tenantId === undefined) continue
    if (report.kind === 'progress') {
      const job = jobs.find(each => each.id === report.id.toLowerCase() && each.device === device)
      if (job) apply(job, report, at)
      continue
    }
    const { module, version } = report
    const key = `${device}/${module}`
    const before = versions.get(key)
    if (before && before.reportedAt > at) continue
    const isNew = !before || !isSameVersion(before.version, version)
    const row: VersionRow = {
      device,
      module,
      tenantId,
      version,
      previousVersion: isNew ? (before?.version ?? null) : before.previousVersion,
      reportedAt: at,
      changedAt: isNew ? at : before.changedAt,
    }
    versions.set(key, row)
    informed.set(key, row)
    const job = jobs.find(each => each.device === device && each.module === module)
    const told = job ? apply(job, { kind: 'inform', version }, at) : false
    if (!told && isNew)
      events.push({
        tenantId,
        jobId: null,
        device,
        module,
        at,
        kind: 'inform',
        state: null,
        percent: null,
        message: null,
        data: { version, ...(before ? { before: before.version } : {}) },
      })
  }
  await saveVersions(scope, [...informed.values()])
  await saveJobs(scope, [...changed])
  await insertEvents(scope, events)
  return [...new Set([...informed.values(), ...changed].map(each => each.device))]
}

interface VersionRow {
  device: number
  module: string
  tenantId: string
  version: string
  previousVersion: string | null
  reportedAt: number
  changedAt: number
}

const TENANTS_OF = sql<{
  num: number
  tenantId: string
}>`select num, tenant_id as "tenantId" from devices where num = any ($1::int[])`

async function tenantsOf(scope: Query, devices: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await scope.run(TENANTS_OF, [devices])
  return new Map(rows.map(row => [row.num, row.tenantId]))
}

const LATEST_JOBS = sql<JobRow>`select ${JOB_COLUMNS} from ota_jobs j where j.id in (
    select distinct on (device, module) id from ota_jobs where device = any ($1::int[])
    order by device, module, (finished_at is null) desc, created_at desc)
  order by j.id for update`

/** Of each module of these devices the open job, else the last one, held for this transaction. */
async function latestJobs(scope: Query, devices: readonly number[]): Promise<JobRow[]> {
  const { rows } = await scope.run(LATEST_JOBS, [devices])
  return rows
}

const RULES_OF = sql<{
  id: string
  state: CampaignState
  plan: Omit<Rules, 'live'>
}>`select id, state, plan from ota_campaigns where id = any ($1::uuid[])`

/** Rules of campaigns, for the machine. */
export async function rulesOf(scope: Query, campaignIds: readonly string[]): Promise<Map<string, Rules>> {
  if (campaignIds.length === 0) return new Map()
  const { rows } = await scope.run(RULES_OF, [campaignIds])
  return new Map(
    rows.map(({ id, state, plan: { timeouts, retries } }) => [
      id,
      { timeouts, retries, live: state !== 'cancelled' && state !== 'completed' },
    ]),
  )
}

const VERSIONS_OF = sql<VersionRow>`select device, module, tenant_id as "tenantId", version, previous_version as "previousVersion",
    (extract(epoch from reported_at) * 1000)::float8 as "reportedAt", (extract(epoch from changed_at) * 1000)::float8 as "changedAt"
  from device_firmware where device = any ($1::int[])`

async function versionsOf(scope: Query, devices: readonly number[]): Promise<Map<string, VersionRow>> {
  const { rows } = await scope.run(VERSIONS_OF, [devices])
  return new Map(rows.map(row => [`${row.device}/${row.module}`, row]))
}

const SAVE_VERSIONS = sql`insert into device_firmware (device, module, tenant_id, version, previous_version, reported_at, changed_at)
  select device, module, "tenantId", version, "previousVersion", to_timestamp("reportedAt" / 1000), to_timestamp("changedAt" / 1000)
  from jsonb_to_recordset($1::jsonb) as r (device int, module text, "tenantId" uuid, version text, "previousVersion" text,
    "reportedAt" float8, "changedAt" float8) order by device, module
  on conflict (device, module) do update set version = excluded.version, previous_version = excluded.previous_version,
    reported_at = excluded.reported_at, changed_at = excluded.changed_at`

async function saveVersions(scope: Query, rows: readonly VersionRow[]): Promise<void> {
  if (rows.length === 0) return
  await scope.run(SAVE_VERSIONS, [JSON.stringify(rows)])
}
