import type {
  ReportInput,
  ReportRecipient,
  ReportRunState,
  ReportSource,
  ReportState,
} from '@thingwright/contracts/reports.contract'
import type { ReportFormat, ReportPeriod } from '@thingwright/contracts/reports.words'
import type { Schedule } from '@thingwright/schedules'
import type { Locale } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { holdable, part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export { containing, type ListPosition } from '../../lib/sql/list.ts'

export interface Fault {
  code: string
  params?: Record<string, unknown>
}

export interface ReportRow {
  id: string
  tenantId: string
  name: string
  description: string
  source: ReportSource
  format: ReportFormat
  schedule: Schedule
  locale: Locale
  period: ReportPeriod | null
  recipients: ReportRecipient[]
  misfire: 'skip' | 'once'
  misfireMinutes: number
  enabled: boolean
  fault: Fault | null
  state: ReportState
  nextRun: Date | null
  lastRunAt: Date | null
  lastState: ReportRunState | null
  ownerId: string | null
  ownerName: string
  version: number
  createdAt: Date
  updatedAt: Date
}

const STATE = part`case when r.fault is not null then 'error' when not r.enabled then 'disabled' else 'enabled' end`

const COLUMNS = part`r.id, r.tenant_id as "tenantId", r.name, r.description, r.source, r.format, r.schedule, r.locale, r.period, r.recipients,
  r.misfire, r.misfire_minutes as "misfireMinutes", r.enabled, r.fault, ${STATE} as state, r.next_run as "nextRun",
  r.last_run_at as "lastRunAt",
  (select n.state from report_runs n where n.report_id = r.id order by n.due_at desc, n.id desc limit 1) as "lastState",
  r.created_by as "ownerId", r.created_by_name as "ownerName", r.version, r.created_at as "createdAt", r.updated_at as "updatedAt"`

const FIND = holdable(sql<ReportRow>`select ${COLUMNS} from reports r where r.id = $1`, part`for update of r`)

export async function find(scope: Runner, id: string, lock = false): Promise<ReportRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

export interface ReportFilter {
  q?: string
  state?: string
  kind?: string
  format?: string
}
export const REPORT_SORTS = ['createdAt', 'name', 'nextRunAt', 'lastRunAt'] as const
export type ReportSort = (typeof REPORT_SORTS)[number]

export const LIST = listSql<ReportRow, ReportFilter, ReportSort>({
  columns: COLUMNS,
  from: part`reports r`,
  filters: {
    q: part`r.name ilike $1`,
    state: part`${STATE} = $1`,
    kind: part`r.kind = $1`,
    format: part`r.format = $1`,
  },
  sorts: {
    createdAt: { by: part`r.created_at`, type: 'timestamptz' },
    name: { by: part`r.name`, type: 'text' },
    nextRunAt: { by: part`coalesce(r.next_run, 'infinity')`, type: 'timestamptz' },
    lastRunAt: { by: part`coalesce(r.last_run_at, '-infinity')`, type: 'timestamptz' },
  },
  id: { by: part`r.id`, type: 'uuid' },
})

const COUNT = sql<{ n: number }>`select count(*)::int as n from reports`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

export interface ReportValues {
  id: string
  tenantId: string
  name: string
  description: string
  source: ReportSource
  kind: string
  format: string
  schedule: Schedule
  locale: string
  period: string | null
  recipients: readonly ReportRecipient[]
  misfire: string
  misfireMinutes: number
  enabled: boolean
  fault: Fault | null
  nextRun: Date | null
  ownerId: string | null
  ownerName: string
}

const WRITTEN = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  description: 'description',
  source: { json: 'source' },
  kind: 'kind',
  format: 'format',
  schedule: { json: 'schedule' },
  locale: 'locale',
  period: 'period',
  recipients: { json: 'recipients' },
  misfire: 'misfire',
  misfireMinutes: 'misfire_minutes',
  enabled: 'enabled',
  fault: { json: 'fault' },
  nextRun: 'next_run',
  ownerId: 'created_by',
  ownerName: 'created_by_name',
} as const

const INSERT = insertInto<ReportValues>(part`reports`, WRITTEN)

export async function insert(scope: TenantScope, row: ReportValues): Promise<void> {
  await scope.run(...INSERT.of(row))
}

const UPDATE = updateOf<Partial<ReportValues>>(part`reports`, WRITTEN, {
  always: part`version = version + 1, updated_at = now()`,
  where: part`id = $1`,
  given: 1,
})

export async function update(scope: TenantScope, id: string, change: Partial<ReportValues>): Promise<void> {
  await scope.run(...UPDATE.of(change, id))
}

const REMOVE = sql`delete from reports where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

// Owners

const COUNT_OWNED = sql<{ n: number }>`select count(*)::int as n from reports where created_by = $1`
const HAND_OVER = sql<{ id: string }>`update reports set created_by = $2, version = version + 1, updated_at = now(),
    created_by_name = coalesce((select username from logins where id = $2), created_by_name),
    fault = case when fault ->> 'code' = 'report.owner_gone' then null else fault end
  where created_by = $1 returning id`

export async function countOwned(scope: TenantScope, loginId: string): Promise<number> {
  return (await scope.run(COUNT_OWNED, [loginId])).rows[0]!.n
}

/** @returns how many */
export async function handOver(scope: TenantScope, from: string, to: string): Promise<number> {
  return (await scope.run(HAND_OVER, [from, to])).rows.length
}

// What they name

export interface CompanyRow {
  name: string
  zone: string
}
const COMPANY = sql<CompanyRow>`select name, time_zone as zone from tenants where id = $1`

export async function companyOf(scope: TenantScope): Promise<CompanyRow> {
  return (await scope.run(COMPANY, [scope.tenantId])).rows[0]!
}

export interface NamedDevice {
  id: string
  name: string
  deviceNo: string
}
const DEVICES = sql<NamedDevice>`select d.id, d.name, d.device_no as "deviceNo" from devices d
  where d.id = any ($1::uuid[]) and d.recycled_at is null order by array_position($1::uuid[], d.id)`

/** The given devices that the transaction sees, in the given order. */
export async function devicesOf(scope: TenantScope, ids: readonly string[]): Promise<NamedDevice[]> {
  return ids.length === 0 ? [] : (await scope.run(DEVICES, [ids])).rows
}

export interface Reachable {
  kind: 'member' | 'contact'
  id: string
  name: string
  address: string
}
const MEMBERS = part`select 'member' as kind, l.id, coalesce(nullif(l.display_name, ''), l.username) as name, l.email as address
  from logins l where l.tenant_id = $1 and l.kind = 'member' and l.state = 'active' and l.left_at is null and l.email is not null`
const CONTACTS = part`select 'contact' as kind, c.id, c.name, c.email as address
  from contacts c where c.tenant_id = $1 and c.verified_at is not null and c.email is not null and c.owner_id is null`

const REACHABLE = sql<Reachable>`select x.kind, x.id, x.name, x.address from (${MEMBERS} union all ${CONTACTS}) x
  where x.name ilike $2 or x.address ilike $2 order by x.kind desc, x.name, x.id limit $3`

/** Members and verified contacts that can be mailed. */
export async function reachable(scope: TenantScope, like: string, limit: number): Promise<Reachable[]> {
  return (await scope.run(REACHABLE, [scope.tenantId, like, limit])).rows
}

const NAMED = sql<Reachable>`select x.kind, x.id, x.name, x.address from (${MEMBERS} union all ${CONTACTS}) x
  where x.id = any ($2::uuid[]) or lower(x.address) = any ($3::text[])`

/** Of these ids and addresses. @param addresses in small letters */
export async function named(
  scope: TenantScope,
  ids: readonly string[],
  addresses: readonly string[],
): Promise<Reachable[]> {
  return (await scope.run(NAMED, [scope.tenantId, ids, addresses])).rows
}

const FIRST_MEMBER = sql<{
  id: string
  username: string
}>`select id, username from logins where tenant_id = $1 and kind = 'member' and state = 'active' order by created_at, id limit 1`

/** The first owner of the company. */
export async function firstMember(scope: TenantScope): Promise<{ id: string; username: string } | undefined> {
  return (await scope.run(FIRST_MEMBER, [scope.tenantId])).rows[0]
}

export type PackedReport = Omit<ReportInput, 'recipients'>

const PACKED = sql<PackedReport>`select name, description, source, format, schedule, locale, period, misfire,
  misfire_minutes as "misfireMinutes", enabled from reports order by created_at, id`

/** All reports without their people, for the file of a company. */
export async function packed(scope: TenantScope): Promise<PackedReport[]> {
  return (await scope.run(PACKED)).rows
}

const NAMED_DEVICES = sql<{ id: string; productId: string; deviceNo: string }>`select id, product_id as "productId",
  device_no as "deviceNo" from devices where id = any ($1::uuid[]) and recycled_at is null`

/** How a file names devices: by their product and number. */
export async function devicesNamed(scope: TenantScope, ids: readonly string[]) {
  return ids.length === 0 ? [] : (await scope.run(NAMED_DEVICES, [ids])).rows
}

const OF_NAME = sql<{
  id: string
  version: number
}>`select id, version from reports where name = $1 order by created_at, id limit 1`

/** The oldest report of this name. */
export async function idOfName(scope: TenantScope, name: string): Promise<{ id: string; version: number } | undefined> {
  return (await scope.run(OF_NAME, [name])).rows[0]
}
