import type { OtaJobState } from '@thingwright/contracts/firmware-schemas'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { type Filters, filteredSql } from '../../lib/sql/filters.ts'
import { type ListPosition, listSql } from '../../lib/sql/list.ts'
import { type NoRow, part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import { deviceNeedle } from '../devices/device-selector.views.ts'
import { JOB_COLUMNS, type JobRow, type Query } from './jobs.rows.ts'

const WAITING_JOBS = sql<JobRow>`select ${JOB_COLUMNS} from ota_jobs j where j.campaign_id = $1 and j.state = 'pending' and j.command_id is null
  and j.next_at <= to_timestamp($2::float8 / 1000) order by j.next_at, j.id limit $3 for update skip locked`

/** Jobs of a campaign whose turn it may be, longest waiting first, held for this transaction. */
export async function waitingJobs(scope: Query, campaignId: string, now: number, limit: number): Promise<JobRow[]> {
  const { rows } = await scope.run(WAITING_JOBS, [campaignId, now, limit])
  return rows
}

const OPEN_COUNTS = sql<{
  open: number
  active: number
}>`select count(*)::int as open, count(*) filter (where state not in ('to_confirm', 'pending')
    or (command_id is not null and changed_at > to_timestamp($2::float8 / 1000) - interval '10 seconds'))::int as active
  from ota_jobs where campaign_id = $1 and finished_at is null`

/**
 * Whether any job is open, and how many devices are on the way: told, or just now being told. A notice that has waited in
 * its queue for a while is for a device that is not there.
 */
export async function openCounts(
  scope: Query,
  campaignId: string,
  now: number,
): Promise<{ open: number; active: number }> {
  const { rows } = await scope.run(OPEN_COUNTS, [campaignId, now])
  return rows[0]!
}

export interface DeviceFacts {
  device: number
  lifecycle: string
  version: string | null
  tags: string[]
}

const DEVICE_FACTS = sql<DeviceFacts>`select d.num as device, d.lifecycle, d.tags, f.version from devices d
  left join device_firmware f on f.device = d.num and f.module = $2 where d.num = any ($1::int[])`

/** What a device is when its turn comes. */
export async function deviceFacts(
  scope: Query,
  devices: readonly number[],
  module: string,
): Promise<Map<number, DeviceFacts>> {
  const { rows } = await scope.run(DEVICE_FACTS, [devices, module])
  return new Map(rows.map(row => [row.device, row]))
}

const COMPANY_ZONE = sql<{ zone: string }>`select time_zone as zone from tenants where id = $1`

export async function companyZone(scope: TenantScope): Promise<string> {
  const { rows } = await scope.run(COMPANY_ZONE, [scope.tenantId])
  return rows[0]?.zone ?? 'UTC'
}

const TOLD_JOBS = sql<
  JobRow & { commandError: string | null; commandMessage: string | null }
>`select ${JOB_COLUMNS}, c.error_code as "commandError", c.error_message as "commandMessage"
  from ota_jobs j left join commands c on c.id = j.command_id
  where j.state = 'pending' and j.command_state is not null and j.command_state <> 'queued'
  order by j.changed_at limit $1 for update of j skip locked`

/** Jobs whose notice left, ended or was taken back since it was queued. */
export async function toldJobs(
  scope: SystemScope,
  limit: number,
): Promise<(JobRow & { commandError: string | null; commandMessage: string | null })[]> {
  const { rows } = await scope.run(TOLD_JOBS, [limit])
  return rows
}

const LATE_JOBS = sql<
  JobRow & { online: boolean }
>`select ${JOB_COLUMNS}, exists (select 1 from device_presence p where p.device = j.device and p.link = 'online') as online
  from ota_jobs j where j.due_at <= to_timestamp($1::float8 / 1000) order by j.due_at limit $2 for update of j skip locked`

/** Jobs whose phase took too long, and whether their device is there. */
export async function lateJobs(
  scope: SystemScope,
  now: number,
  limit: number,
): Promise<(JobRow & { online: boolean })[]> {
  const { rows } = await scope.run(LATE_JOBS, [now, limit])
  return rows
}

const BUSY_DEVICES = sql<{ key: string }>`select o.device || '/' || o.module as key from ota_jobs o
  join unnest($1::int[], $2::text[]) as w (device, module) on w.device = o.device and w.module = o.module
  where o.finished_at is null`

/** Devices among these that have an open job of the module besides the given ones. */
export async function busyDevices(scope: Query, jobs: readonly JobRow[]): Promise<Set<string>> {
  const { rows } = await scope.run(BUSY_DEVICES, [jobs.map(job => job.device), jobs.map(job => job.module)])
  return new Set(rows.map(row => row.key))
}

// ── shown ──

export interface ShownJob extends JobRow {
  campaignName: string
  campaignKind: 'rollout' | 'verification' | 'rollback'
  campaignState: string
  deviceNo: string
  deviceName: string
  createdAt: Date
}

export interface JobFilter {
  campaignId?: string
  productId?: string
  packageId?: string
  deviceId?: string
  module?: string
  state?: OtaJobState
  open?: '0' | '1'
  /** Part of a device's name or number. */
  q?: string
}

export const JOB_SORTS = ['createdAt', 'changedAt'] as const

/** Over the aliases j (job), c (campaign) and d (device). */
const FILTERS = {
  campaignId: part`j.campaign_id = $1`,
  productId: part`j.product_id = $1`,
  packageId: part`j.campaign_id in (select id from ota_campaigns where package_id = $1)`,
  deviceId: part`j.device_id = $1`,
  module: part`j.module = $1`,
  state: part`j.state = $1`,
  open: { '1': part`j.finished_at is null`, '0': part`j.finished_at is not null` },
  q: part`exists (select 1 from devices q where q.id = j.device_id and strpos(q.search_text, $1) > 0)`,
} as const

const SHOWN = part`${JOB_COLUMNS}, j.created_at as "createdAt", c.name as "campaignName", c.kind as "campaignKind",
  c.state as "campaignState", d.device_no as "deviceNo", d.name as "deviceName"`
const JOINED = part`ota_jobs j join ota_campaigns c on c.id = j.campaign_id join devices d on d.id = j.device_id`

const LIST = listSql<ShownJob, JobFilter, (typeof JOB_SORTS)[number]>({
  columns: SHOWN,
  from: JOINED,
  countFrom: part`ota_jobs j`,
  filters: FILTERS,
  sorts: {
    createdAt: { by: part`j.created_at`, type: 'timestamptz' },
    changedAt: { by: part`j.changed_at`, type: 'timestamptz' },
  },
  id: { by: part`j.id`, type: 'uuid' },
})

const searched = ({ q, ...filter }: JobFilter): JobFilter => {
  const needle = deviceNeedle(q ?? '')
  return { ...filter, ...(needle ? { q: needle } : {}) }
}

/** Which updates something is done to: by their own filters, their ids, those whose notice came back, those it is for. */
export interface JobSelector extends JobFilter {
  ids?: readonly string[]
  /** Waiting for a notice of these commands. */
  notices?: readonly string[]
  fits?: JobState
}

/** What an action of people is for, and those that have not begun. */
type JobState = 'confirm' | 'reject' | 'retry' | 'cancel' | 'refresh' | 'unbegun'

const JOBS_FOR: Readonly<Record<JobState, SqlPart>> = {
  confirm: part`j.state = 'to_confirm'`,
  reject: part`j.state = 'to_confirm'`,
  retry: part`j.state in ('failed', 'timed_out', 'rejected')
    and exists (select 1 from ota_campaigns r where r.id = j.campaign_id and r.state <> 'cancelled')`,
  cancel: part`j.state in ('to_confirm', 'pending', 'notified', 'downloading', 'downloaded', 'verified')`,
  refresh: part`j.finished_at is null`,
  unbegun: part`j.state in ('to_confirm', 'pending')`,
}

const SELECTOR_FILTERS: Filters<JobSelector> = {
  ...FILTERS,
  ids: part`j.id = any ($1::uuid[])`,
  notices: part`j.state = 'pending' and j.command_id = any ($1::uuid[])`,
  fits: JOBS_FOR,
}

/** As `filteredSql` wants it: what a person searched for is normalised. */
const selected = ({ q, ...rest }: JobSelector): JobSelector => ({ ...rest, ...searched({ ...(q ? { q } : {}) }) })

const HOLD_JOBS = filteredSql<JobRow, JobSelector>(
  { filters: SELECTOR_FILTERS, given: 0 },
  where => part`select ${JOB_COLUMNS} from ota_jobs j where ${where} order by j.id for update`,
)

/** Jobs that a selector leaves, held for this transaction. */
export async function holdJobs(scope: Query, selector: JobSelector): Promise<JobRow[]> {
  return (await scope.run(...HOLD_JOBS.of(selected(selector)))).rows
}

const COUNT_SELECTED = filteredSql<{ n: number }, JobSelector>(
  { filters: SELECTOR_FILTERS, given: 0, alike: true },
  where => part`select count(*)::int as n from ota_jobs j where ${where}`,
)

export async function countSelected(scope: Query, selector: JobSelector): Promise<number> {
  return (await scope.run(...COUNT_SELECTED.of(selected(selector)))).rows[0]!.n
}

const QUEUED_NOTICES = filteredSql<{ id: string }, JobSelector>(
  { filters: SELECTOR_FILTERS, given: 0, alike: true },
  where =>
    part`select j.command_id as id from ota_jobs j where j.command_id is not null and j.state = 'pending' and ${where}`,
)

/** Notices in the queues for jobs that a selector leaves. */
export async function queuedNotices(scope: Query, selector: JobSelector): Promise<string[]> {
  const { rows } = await scope.run(...QUEUED_NOTICES.of(selected(selector)))
  return rows.map(row => row.id)
}

const HURRY_JOBS = filteredSql<NoRow, JobSelector>(
  { filters: SELECTOR_FILTERS, given: 1, alike: true },
  where => part`update ota_jobs j set next_at = least(next_at, to_timestamp($1::float8 / 1000))
    where ${where} and j.state = 'pending' and j.waiting_for is distinct from 'backoff'`,
)

/** Jobs that wait for something are due now; jobs whose device has the target version already end. */
export async function hurryJobs(scope: Query, selector: JobSelector, now: number): Promise<number> {
  return (await scope.run(...HURRY_JOBS.of(selected(selector), now))).rowCount ?? 0
}

const CAMPAIGNS_OF_JOBS = filteredSql<{ id: string }, JobSelector>(
  { filters: SELECTOR_FILTERS, given: 0, alike: true },
  where => part`select distinct j.campaign_id as id from ota_jobs j where ${where}`,
)

export async function campaignsOfJobs(scope: Query, selector: JobSelector): Promise<string[]> {
  const { rows } = await scope.run(...CAMPAIGNS_OF_JOBS.of(selected(selector)))
  return rows.map(row => row.id)
}

export async function listJobs(
  scope: Query,
  filter: JobFilter,
  sort: { key: (typeof JOB_SORTS)[number]; descending: boolean },
  after: ListPosition | null,
  limit: number,
): Promise<(ShownJob & { position: string })[]> {
  return (await scope.run(...LIST.page({ filter: searched(filter), sort, after, limit }))).rows
}

export async function countJobs(scope: Query, filter: JobFilter): Promise<number> {
  return (await scope.run(...LIST.count(searched(filter)))).rows[0]!.n
}

const FIND_SHOWN_JOB = sql<ShownJob>`select ${SHOWN} from ${JOINED} where j.id = $1`

export async function findShownJob(scope: Query, id: string): Promise<ShownJob | null> {
  return (await scope.run(FIND_SHOWN_JOB, [id])).rows[0] ?? null
}

export interface EventRow {
  id: number
  jobId: string | null
  at: Date
  kind: string
  module: string
  state: OtaJobState | null
  percent: number | null
  message: string | null
  data: Record<string, unknown>
}

const EVENT = part`id, job_id as "jobId", at, kind, module, state, percent, message, data`

const EVENTS_OF_JOB = sql<EventRow>`select ${EVENT} from ota_job_events where job_id = $1 order by id limit 600`

export async function eventsOfJob(scope: Query, jobId: string): Promise<EventRow[]> {
  const { rows } = await scope.run(EVENTS_OF_JOB, [jobId])
  return rows
}

const EVENTS_OF_DEVICE = sql<EventRow>`select ${EVENT} from ota_job_events where device = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`

export async function eventsOfDevice(
  scope: Query,
  device: number,
  before: number | null,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await scope.run(EVENTS_OF_DEVICE, [device, before, limit])
  return rows
}

const MODULES_OF = sql<{
  module: string
  version: string
  previousVersion: string | null
  packageId: string | null
  reportedAt: Date
  changedAt: Date
}>`select v.module, v.version, v.previous_version as "previousVersion", v.reported_at as "reportedAt", v.changed_at as "changedAt",
    (select f.id from firmware_packages f where f.product_id = $2 and f.module = v.module and firmware_version_key(f.version) = firmware_version_key(v.version)
     order by f.kind desc limit 1) as "packageId"
  from device_firmware v where v.device = $1 order by v.module`

export async function modulesOf(scope: Query, device: number, productId: string) {
  const { rows } = await scope.run(MODULES_OF, [device, productId])
  return rows
}

export interface VersionCount {
  productId: string
  productName: string
  module: string
  version: string | null
  packageId: string | null
  orderNo: number | null
  devices: number
  online: number
}

const VERSION_COUNTS = sql<VersionCount>`with known as (
    select product_id, module from firmware_packages
    union select d.product_id, v.module from device_firmware v join devices d on d.num = v.device),
  counted as (
    select d.product_id, k.module, v.version, count(*)::int as devices,
      count(*) filter (where p.link = 'online')::int as online
    from known k join devices d on d.product_id = k.product_id and d.recycled_at is null
    left join device_firmware v on v.device = d.num and v.module = k.module
    left join device_presence p on p.device = d.num
    where ($1::uuid is null or k.product_id = $1) and ($2::text is null or k.module = $2)
    group by 1, 2, 3)
  select c.product_id as "productId", o.name as "productName", c.module, c.version, f.id as "packageId", f.order_no as "orderNo",
    c.devices, c.online
  from counted c join products o on o.id = c.product_id
  left join lateral (select id, order_no from firmware_packages f where f.product_id = c.product_id and f.module = c.module
    and firmware_version_key(f.version) = firmware_version_key(c.version) order by kind desc limit 1) f on true
  order by o.name, c.product_id, c.module, f.order_no desc nulls last, c.version nulls last limit 2000`

/** How many devices run what. Devices that never said a version count for the modules that their product has packages of. */
export async function versionCounts(
  scope: Query,
  filter: { productId?: string; module?: string },
): Promise<VersionCount[]> {
  const { rows } = await scope.run(VERSION_COUNTS, [filter.productId ?? null, filter.module ?? null])
  return rows
}
