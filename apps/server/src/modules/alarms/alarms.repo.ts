import type { TenantScope } from '../../lib/database/database.ts'
import { filteredSql } from '../../lib/sql/filters.ts'
import { listSql } from '../../lib/sql/list.ts'
import { holdable, part, type Runner, sql } from '../../lib/sql/statement.ts'
import { updateOf } from '../../lib/sql/writes.ts'
import type { SeenValue } from './alarm-effects.repo.ts'

export { containing, type ListPosition } from '../../lib/sql/list.ts'

export interface AlarmRow {
  id: string
  tenantId: string
  triggerId: string | null
  triggerName: string
  isLoop: boolean
  targetName: string | null
  targetKind: 'device' | 'scope' | 'sim' | 'lora_gateway' | 'camera' | 'company'
  targetId: string
  device: number | null
  deviceId: string | null
  deviceName: string | null
  deviceNo: string | null
  productId: string | null
  productName: string | null
  ownerId: string | null
  ownerName: string | null
  level: number
  active: boolean
  acknowledgedAt: Date | null
  acknowledgedName: string | null
  work: 'open' | 'in_progress' | 'done' | 'ignored'
  assigneeId: string | null
  assigneeName: string | null
  count: number
  raisedAt: Date
  lastAt: Date
  clearedAt: Date | null
  clearedBy: 'condition' | 'person' | 'action' | 'renewed' | 'rule' | null
  handledAt: Date | null
  handledName: string | null
  result: string | null
  photoIds: string[]
  shelvedUntil: Date | null
  suppressed: boolean
  merged: number
  stormId: string | null
  raiseValues: SeenValue[]
  clearValues: SeenValue[]
  peak: number | null
  comments: number
}

const COLUMNS = part`a.id, a.tenant_id as "tenantId", a.trigger_id as "triggerId", a.trigger_name as "triggerName",
  a.slot = -2 as "isLoop",  a.target_kind as "targetKind", a.target_id as "targetId", a.target_name as "targetName", a.device, a.device_id as "deviceId", d.name as "deviceName",
  d.device_no as "deviceNo", d.product_id as "productId", o.name as "productName", d.owner_id as "ownerId",
  (select coalesce(nullif(ol.display_name, ''), ol.username) from logins ol where ol.id = d.owner_id) as "ownerName", a.level, a.active,
  a.acknowledged_at as "acknowledgedAt", a.acknowledged_name as "acknowledgedName", a.work, a.assignee_id as "assigneeId",
  coalesce(nullif(l.display_name, ''), l.username) as "assigneeName", a.count, a.raised_at as "raisedAt", a.last_at as "lastAt",
  a.cleared_at as "clearedAt", a.cleared_by as "clearedBy", a.handled_at as "handledAt", a.handled_name as "handledName",
  a.result, a.photo_ids as "photoIds", case when a.shelved_until > now() then a.shelved_until end as "shelvedUntil",
  a.suppressed, a.merged, a.storm_id as "stormId", a.raise_values as "raiseValues", a.clear_values as "clearValues", a.peak, a.comments`
const FROM = part`alarms a left join devices d on d.id = a.device_id left join products o on o.id = d.product_id
  left join logins l on l.id = a.assignee_id`

export interface AlarmFilter {
  q?: string
  active?: boolean
  acknowledged?: boolean
  work?: string
  level?: number
  minLevel?: number
  deviceId?: string
  productId?: string
  groupIds?: readonly string[]
  userId?: string
  triggerId?: string
  assigneeId?: string
  shelved?: boolean
  suppressed?: boolean
  stormId?: string
  merged?: boolean
  from?: Date
  to?: Date
}

const FILTERS = {
  q: part`(a.trigger_name ilike $1 or d.name ilike $1 or d.device_no ilike $1)`,
  active: { true: part`a.active`, false: part`not a.active` },
  acknowledged: { true: part`a.acknowledged_at is not null`, false: part`a.acknowledged_at is null` },
  work: part`a.work = $1`,
  level: part`a.level = $1`,
  minLevel: part`a.level >= $1`,
  deviceId: part`a.device_id = $1`,
  productId: part`d.product_id = $1`,
  groupIds: part`d.group_id = any ($1::uuid[])`,
  userId: part`d.owner_id in (select u.id from end_users u where u.path @> array[$1::uuid])`,
  triggerId: part`a.trigger_id = $1`,
  assigneeId: part`a.assignee_id = $1`,
  shelved: {
    true: part`a.shelved_until > now()`,
    false: part`(a.shelved_until is null or a.shelved_until <= now())`,
  },
  suppressed: { true: part`a.suppressed`, false: part`not a.suppressed` },
  stormId: part`(a.storm_id = $1 or a.id = $1)`,
  // What belongs to a storm stands for itself again once the first of it has another state, or is not for the caller's eyes.
  // A value and no join: nothing is known of a storm's rows yet when they are planned.
  merged: {
    true: part`case when a.storm_id is null then true
      else (select h.active from alarms h where h.id = a.storm_id) is distinct from a.active end`,
    false: part`true`,
  },
  from: part`a.raised_at >= $1`,
  to: part`a.raised_at < $1`,
}

export const ALARM_SORTS = ['raisedAt', 'lastAt', 'level'] as const
export type AlarmSort = (typeof ALARM_SORTS)[number]

export const LIST = listSql<AlarmRow, AlarmFilter, AlarmSort>({
  columns: COLUMNS,
  from: FROM,
  countFrom: part`alarms a left join devices d on d.id = a.device_id`,
  where: part`a.tenant_id = $1`,
  given: 1,
  filters: FILTERS,
  sorts: {
    raisedAt: { by: part`a.raised_at`, type: 'timestamptz' },
    lastAt: { by: part`a.last_at`, type: 'timestamptz' },
    level: { by: part`a.level`, type: 'int' },
  },
  id: { by: part`a.id`, type: 'uuid' },
})

const FIND = holdable(sql<AlarmRow>`select ${COLUMNS} from ${FROM} where a.id = $1`, part`for update of a`)

export async function find(scope: TenantScope, id: string, lock = false): Promise<AlarmRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

const BY_IDS = sql<AlarmRow>`select ${COLUMNS} from ${FROM} where a.id = any ($1::uuid[])`

export async function byIds(scope: Runner, ids: readonly string[]): Promise<AlarmRow[]> {
  return (await scope.run(BY_IDS, [ids])).rows
}

const SEEN_IDS = sql<{ id: string }>`select id from alarms where id = any ($1::uuid[])`

/** The given alarms that the caller may see. */
export async function seenIds(scope: TenantScope, ids: readonly string[]): Promise<string[]> {
  return (await scope.run(SEEN_IDS, [ids])).rows.map(({ id }) => id)
}

export interface AlarmChange {
  active?: boolean
  acknowledgedAt?: Date | null
  acknowledgedName?: string | null
  work?: AlarmRow['work']
  assigneeId?: string | null
  clearedAt?: Date | null
  clearedBy?: AlarmRow['clearedBy']
  handledAt?: Date | null
  handledName?: string | null
  result?: string | null
  photoIds?: string[]
  shelvedUntil?: Date | null
  comments?: number
}

const UPDATE = updateOf<AlarmChange>(
  part`alarms`,
  {
    active: 'active',
    acknowledgedAt: 'acknowledged_at',
    acknowledgedName: 'acknowledged_name',
    work: 'work',
    assigneeId: 'assignee_id',
    clearedAt: 'cleared_at',
    clearedBy: 'cleared_by',
    handledAt: 'handled_at',
    handledName: 'handled_name',
    result: 'result',
    photoIds: 'photo_ids',
    shelvedUntil: 'shelved_until',
    comments: 'comments',
  },
  { where: part`id = $1`, given: 1 },
)

export async function update(scope: TenantScope, id: string, change: AlarmChange): Promise<void> {
  await scope.run(...UPDATE.of(change, id))
}

const CLEAR_OF = sql<{
  id: string
  device: number | null
}>`update alarms set active = false, cleared_at = now(), cleared_by = 'rule'
  where trigger_id = any ($1::uuid[]) and active and (not $2 or slot = -2) returning id, device`

/** @param loopOnly only alarms that say that a trigger set itself off */
export async function clearOf(scope: TenantScope, triggerIds: readonly string[], loopOnly: boolean) {
  return (await scope.run(CLEAR_OF, [triggerIds, loopOnly])).rows
}

const LEVELS_OF = sql<{ device: number; level: number }>`select device, level from refresh_alarm_levels($1::int[])`

export async function refreshLevels(scope: Runner, devices: readonly number[]) {
  return devices.length === 0 ? [] : (await scope.run(LEVELS_OF, [devices])).rows
}

const SIGNAL = sql`insert into trigger_signals (tenant_id, kind, trigger_id, device) values ($1, 'cleared', $2, $3)`

/** Tells the engine that somebody cleared an alarm by hand. @param device null: one of a whole scope */
export async function tellEngine(scope: TenantScope, triggerId: string, device: number | null): Promise<void> {
  await scope.run(SIGNAL, [scope.tenantId, triggerId, device])
}

export interface EventRow {
  id: string
  at: Date
  kind: string
  loginId: string | null
  name: string
  text: string | null
  photoIds: string[]
  detail: Record<string, unknown>
}

const INSERT_EVENT = sql`insert into alarm_events (id, tenant_id, alarm_id, at, kind, login_id, name, text, photo_ids, detail)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

export async function insertEvent(scope: Runner, tenantId: string, alarmId: string, event: EventRow): Promise<void> {
  const { id, at, kind, loginId, name, text, photoIds, detail } = event
  await scope.run(INSERT_EVENT, [
    id,
    tenantId,
    alarmId,
    at,
    kind,
    loginId,
    name,
    text,
    photoIds,
    JSON.stringify(detail),
  ])
}

const EVENTS = sql<EventRow>`select id, at, kind, login_id as "loginId", name, text, photo_ids as "photoIds", detail
  from alarm_events where alarm_id = $1 order by at, id limit 1000`

export async function events(scope: TenantScope, alarmId: string): Promise<EventRow[]> {
  return (await scope.run(EVENTS, [alarmId])).rows
}

const OCCURRENCES = sql<{
  id: number
  at: Date
  count: number
  values: SeenValue[]
}>`select id, at, count, values from alarm_occurrences
  where alarm_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`

export async function occurrences(scope: TenantScope, alarmId: string, before: number | null, limit: number) {
  return (await scope.run(OCCURRENCES, [alarmId, before, limit])).rows
}

// Figures

export interface OfThings {
  productId?: string
  groupIds?: readonly string[]
  deviceId?: string
  triggerId?: string
}
const OF_THINGS = {
  productId: FILTERS.productId,
  groupIds: FILTERS.groupIds,
  deviceId: FILTERS.deviceId,
  triggerId: FILTERS.triggerId,
}

export interface CountsRow {
  active: number
  unacknowledged: number
  mine: number
  shelved: number
  suppressed: number
  devices: number
  raisedToday: number
  levels: number[]
}

/** The tenant ($1) and the caller ($2). */
export const COUNTS = filteredSql<CountsRow, OfThings>({ filters: OF_THINGS, given: 2 }, where => {
  const plain = part`a.active and not a.suppressed and a.work <> 'ignored' and (a.shelved_until is null or a.shelved_until <= now())`
  return part`select count(*) filter (where ${plain})::int as active,
    count(*) filter (where ${plain} and a.acknowledged_at is null)::int as unacknowledged,
    count(*) filter (where a.assignee_id = $2::uuid and a.work in ('open', 'in_progress'))::int as mine,
    count(*) filter (where a.active and a.shelved_until > now())::int as shelved,
    count(*) filter (where a.active and a.suppressed)::int as suppressed,
    count(distinct a.device) filter (where ${plain})::int as devices,
    count(*) filter (where a.raised_at >= now() - interval '1 day')::int as "raisedToday",
    array[count(*) filter (where ${plain} and a.level = 1), count(*) filter (where ${plain} and a.level = 2),
      count(*) filter (where ${plain} and a.level = 3), count(*) filter (where ${plain} and a.level = 4),
      count(*) filter (where ${plain} and a.level = 5)]::int[] as levels
    from alarms a left join devices d on d.id = a.device_id
    where a.tenant_id = $1 and (a.active or a.raised_at >= now() - interval '1 day' or a.assignee_id = $2::uuid) and ${where}`
})

/** More are not counted for the overview: nobody needs to know how many more. */
const MOST_OPEN = 10_000

/** Alarms that wait for somebody to acknowledge them: how many, the gravest level, when the last of them was raised. */
export const WAITING = sql<{
  count: number
  level: number | null
  raisedAt: Date | null
}>`select count(*)::int as count,
  max(level)::int as level, max(raised_at) as "raisedAt" from (select a.level, a.raised_at from alarms a
    where a.tenant_id = $1 and a.active and a.acknowledged_at is null and not a.suppressed and a.work <> 'ignored'
      and (a.shelved_until is null or a.shelved_until <= now()) limit ${MOST_OPEN}) waiting`

export interface StatisticsRow {
  total: number
  active: number
  unacknowledged: number
  mtta: number | null
  mttr: number | null
  levels: { level: number; total: number; active: number }[] | null
  hours: { hour: number; total: number }[] | null
  days: { day: string; total: number }[] | null
  devices: { deviceId: string; name: string; deviceNo: string; total: number; active: number }[] | null
  triggers: { triggerId: string | null; name: string; total: number; active: number }[] | null
}

/** The tenant ($1), from ($2), to ($3), the time zone ($4). */
export const STATISTICS = filteredSql<StatisticsRow, OfThings>(
  { filters: OF_THINGS, given: 4 },
  where =>
    part`with found as materialized (
    select a.*, d.name as device_name, d.device_no, a.raised_at at time zone $4::text as local
    from alarms a left join devices d on d.id = a.device_id
    where a.tenant_id = $1 and a.raised_at >= $2::timestamptz and a.raised_at < $3::timestamptz and ${where})
  select count(*)::int as total, count(*) filter (where active)::int as active,
    count(*) filter (where active and acknowledged_at is null)::int as unacknowledged,
    (avg(extract(epoch from acknowledged_at - raised_at)) * 1000)::float8 as mtta,
    (avg(extract(epoch from cleared_at - raised_at)) * 1000)::float8 as mttr,
    (select jsonb_agg(x) from (select level, count(*)::int as total, count(*) filter (where active)::int as active
      from found group by level order by level) x) as levels,
    (select jsonb_agg(x) from (select extract(hour from local)::int as hour, count(*)::int as total from found group by 1) x) as hours,
    (select jsonb_agg(x) from (select to_char(local, 'YYYY-MM-DD') as day, count(*)::int as total from found group by 1 order by 1) x) as days,
    (select jsonb_agg(x) from (select device_id as "deviceId", device_name as name, device_no as "deviceNo", count(*)::int as total,
      count(*) filter (where active)::int as active from found where device_id is not null group by 1, 2, 3 order by 4 desc, 1 limit 10) x) as devices,
    (select jsonb_agg(x) from (select trigger_id as "triggerId", max(trigger_name) as name, count(*)::int as total,
      count(*) filter (where active)::int as active from found group by 1 order by 3 desc, 1 limit 10) x) as triggers
  from found`,
)

// Levels and maintenance

const LEVELS = sql<{ levels: unknown; version: number }>`select levels, version from alarm_levels where tenant_id = $1`
const SET_LEVELS = sql`insert into alarm_levels (tenant_id, levels, version) values ($1, $2, $3)
  on conflict (tenant_id) do update set levels = $2, version = $3`

export async function levels(scope: TenantScope): Promise<{ levels: unknown; version: number } | undefined> {
  return (await scope.run(LEVELS, [scope.tenantId])).rows[0]
}

export async function setLevels(scope: TenantScope, value: unknown, version: number): Promise<void> {
  await scope.run(SET_LEVELS, [scope.tenantId, JSON.stringify(value), version])
}

export interface MaintenanceRow {
  until: Date
  reason: string | null
  byName: string
  since: Date
}

const MAINTENANCE = sql<MaintenanceRow>`select until, reason, by_name as "byName", since from device_maintenance
  where device_id = $1 and until > now()`
const SET_MAINTENANCE = sql`insert into device_maintenance (device_id, tenant_id, until, reason, by_name) values ($1, $2, $3, $4, $5)
  on conflict (device_id) do update set until = $3, reason = $4, by_name = $5,
    since = case when device_maintenance.until > now() then device_maintenance.since else now() end`
const END_MAINTENANCE = sql`delete from device_maintenance where device_id = $1`

export async function maintenance(scope: TenantScope, deviceId: string): Promise<MaintenanceRow | undefined> {
  return (await scope.run(MAINTENANCE, [deviceId])).rows[0]
}

export async function setMaintenance(
  scope: TenantScope,
  deviceId: string,
  value: { until: Date; reason: string | null; byName: string } | null,
): Promise<void> {
  if (value === null) await scope.run(END_MAINTENANCE, [deviceId])
  else await scope.run(SET_MAINTENANCE, [deviceId, scope.tenantId, value.until, value.reason, value.byName])
}

const UNSHELVE = sql<{ id: string; tenantId: string; device: number | null }>`update alarms set shelved_until = null
  where shelved_until <= now() returning id, tenant_id as "tenantId", device`

/** Takes back from the shelf whose time is over. */
export async function unshelveDue(scope: Runner) {
  return (await scope.run(UNSHELVE)).rows
}

const FORGET = sql`delete from alarms where id in (
  select a.id from tenants t cross join lateral (
    select id from alarms where tenant_id = t.id and not active and cleared_at < $1::timestamptz - make_interval(days =>
      case when t.settings #>> '{retention,alarmDays}' ~ '^\\d{2,4}$'
        then greatest((t.settings #>> '{retention,alarmDays}')::int, 30) else 1095 end)
    order by cleared_at limit $2) a
  limit $2) and not active`

/** Removes what was cleared longer ago than its company keeps it; what is active stays. @returns how many, at most `limit` */
export async function forgetCleared(scope: Runner, now: Date, limit: number): Promise<number> {
  return (await scope.run(FORGET, [now, limit])).rowCount ?? 0
}

const MEMBER = sql<{
  id: string
  name: string
}>`select id, coalesce(nullif(display_name, ''), username) as name from logins
  where id = $1 and kind = 'member' and state = 'active'`

export async function memberName(scope: TenantScope, id: string): Promise<string | undefined> {
  return (await scope.run(MEMBER, [id])).rows[0]?.name
}
