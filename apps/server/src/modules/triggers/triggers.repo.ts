import type { RuleDocument } from '@thingwright/rules'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { type Connection, holdable, part, runOn, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export { containing, type ListPosition } from '../../lib/sql/list.ts'
export type { Connection } from '../../lib/sql/statement.ts'

export interface Fault {
  code: string
  params: Record<string, unknown>
}

export interface TriggerRow {
  id: string
  tenantId: string
  name: string
  description: string
  document: RuleDocument
  enabled: boolean
  fault: Fault | null
  state: 'enabled' | 'disabled' | 'error' | 'paused' | 'expired'
  expiresAt: Date | null
  secrets: Buffer | null
  ruleVersion: number
  /** How often it was switched off, counted by the database. */
  switchedOff: number
  ownerId: string | null
  ownerName: string
  lastRunAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

const STATE = part`case when t.expires_at <= now() then 'expired' when not t.enabled then 'disabled'
  when t.fault ->> 'code' = 'loop' then 'paused' when t.fault is not null then 'error' else 'enabled' end`

const COLUMNS = part`t.id, t.tenant_id as "tenantId", t.name, t.description, t.document, t.enabled, t.fault, ${STATE} as state,
  t.expires_at as "expiresAt", t.secrets_cipher as secrets, t.rule_version as "ruleVersion", t.switched_off as "switchedOff", t.created_by as "ownerId",
  t.created_by_name as "ownerName", t.last_run_at as "lastRunAt", t.version, t.created_at as "createdAt", t.updated_at as "updatedAt"`

export type ListedTrigger = TriggerRow & { openAlarms: number }
const LISTED = part`${COLUMNS}, (select count(*)::int from alarms a where a.trigger_id = t.id and a.active) as "openAlarms"`

const FIND = holdable(sql<ListedTrigger>`select ${LISTED} from triggers t where t.id = $1`, part`for update of t`)

export async function find(scope: TenantScope, id: string, lock = false): Promise<ListedTrigger | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

export interface TriggerFilter {
  q?: string
  state?: string
  kind?: string
  deviceId?: string
  productId?: string
  userId?: string
}
export const TRIGGER_SORTS = ['createdAt', 'name', 'lastRunAt'] as const
export type TriggerSort = (typeof TRIGGER_SORTS)[number]

const WATCHES = part`exists (select 1 from devices d where d.id = $1 and (
  t.document #> '{scope,deviceIds}' ? d.id::text or t.document #> '{scope,productIds}' ? d.product_id::text
  or t.document #> '{scope,tags}' ?| d.tags
  or t.document #> '{scope,groupIds}' ?| array(
    with recursive up as (select g.id, g.parent_id from groups g where g.id = d.group_id
      union select g.id, g.parent_id from groups g join up u on g.id = u.parent_id)
    select id::text from up)))`

export const LIST = listSql<ListedTrigger, TriggerFilter, TriggerSort>({
  columns: LISTED,
  from: part`triggers t`,
  filters: {
    q: part`t.name ilike $1`,
    state: part`${STATE} = $1`,
    kind: part`t.kind = $1`,
    deviceId: WATCHES,
    productId: part`t.document #> '{scope,productIds}' ? $1::text`,
    // Made by him or by somebody below him, or for a device of theirs.
    userId: part`(t.created_by in (select u.id from end_users u where u.path @> array[$1::uuid])
      or exists (select 1 from devices d join end_users u on u.id = d.owner_id and u.path @> array[$1::uuid]
        where t.document #> '{scope,deviceIds}' ? d.id::text))`,
  },
  sorts: {
    createdAt: { by: part`t.created_at`, type: 'timestamptz' },
    name: { by: part`t.name`, type: 'text' },
    lastRunAt: { by: part`coalesce(t.last_run_at, '-infinity')`, type: 'timestamptz' },
  },
  id: { by: part`t.id`, type: 'uuid' },
})

const COUNT = sql<{ n: number }>`select count(*)::int as n from triggers`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

export interface NewTrigger {
  id: string
  tenantId: string
  name: string
  description: string
  document: RuleDocument
  kind: string
  enabled: boolean
  expiresAt: Date | null
  secrets: Buffer | null
  fault: Fault | null
  ownerId: string | null
  ownerName: string
}

const INSERT = insertInto<NewTrigger>(part`triggers`, {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  description: 'description',
  document: { json: 'document' },
  kind: 'kind',
  enabled: 'enabled',
  expiresAt: 'expires_at',
  secrets: 'secrets_cipher',
  fault: { json: 'fault' },
  ownerId: 'created_by',
  ownerName: 'created_by_name',
})

export async function insert(scope: TenantScope, row: NewTrigger): Promise<void> {
  await scope.run(...INSERT.of(row))
}

export interface TriggerChange {
  name?: string
  description?: string
  document?: RuleDocument
  kind?: string
  enabled?: boolean
  expiresAt?: Date | null
  secrets?: Buffer | null
  fault?: Fault | null
  ruleVersion?: number
  ownerId?: string | null
  ownerName?: string
}

const UPDATE = updateOf<TriggerChange>(
  part`triggers`,
  {
    name: 'name',
    description: 'description',
    document: { json: 'document' },
    kind: 'kind',
    enabled: 'enabled',
    expiresAt: 'expires_at',
    secrets: 'secrets_cipher',
    fault: { json: 'fault' },
    ruleVersion: 'rule_version',
    ownerId: 'created_by',
    ownerName: 'created_by_name',
  },
  { always: part`version = version + 1, updated_at = now()`, where: part`id = $1`, given: 1 },
)

export async function update(scope: TenantScope, id: string, change: TriggerChange): Promise<void> {
  await scope.run(...UPDATE.of(change, id))
}

const REMOVE = sql`delete from triggers where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const SIGNAL = sql`insert into trigger_signals (tenant_id, kind, trigger_id, device, key) values ($1, $2, $3, $4, $5)`

/** Tells the engine of something that is no row of the journal. */
export async function signal(
  scope: TenantScope,
  fact: {
    kind: 'button' | 'api' | 'cleared' | 'resumed'
    triggerId: string
    device: number | null
    key: string | null
  },
): Promise<void> {
  await scope.run(SIGNAL, [scope.tenantId, fact.kind, fact.triggerId, fact.device, fact.key])
}

// What a scope means

export interface WatchedDevice {
  num: number
  id: string
  name: string
  deviceNo: string
  productId: string
  /** Properties that it has beyond its product's. */
  added: { identifier: string; dataType: { type: string } }[] | null
}

const WATCHED = part`select d.num, d.id, d.name, d.device_no as "deviceNo", d.product_id as "productId",
  d.overrides #> '{model,added}' as added from devices d where d.tenant_id = $1 and d.recycled_at is null`
const OF_SCOPE = {
  deviceIds: sql<WatchedDevice>`${WATCHED} and d.id = any ($2::uuid[]) order by d.num limit $3`,
  productIds: sql<WatchedDevice>`${WATCHED} and d.product_id = any ($2::uuid[]) order by d.num limit $3`,
  groupIds: sql<WatchedDevice>`${WATCHED} and d.group_id = any ($2::uuid[]) order by d.num limit $3`,
  tags: sql<WatchedDevice>`${WATCHED} and d.tags && $2::text[] order by d.num limit $3`,
}

/** Devices of a scope, as the caller may see them. Groups are given with what is below them. */
export async function watchedDevices(
  scope: TenantScope,
  field: keyof typeof OF_SCOPE,
  values: readonly string[],
  limit: number,
): Promise<WatchedDevice[]> {
  return (await scope.run(OF_SCOPE[field], [scope.tenantId, values, limit])).rows
}

const COUNT_OF_SCOPE = {
  deviceIds: sql<{
    n: number
  }>`select count(*)::int as n from devices d where d.tenant_id = $1 and d.recycled_at is null and d.id = any ($2::uuid[])`,
  productIds: sql<{
    n: number
  }>`select count(*)::int as n from devices d where d.tenant_id = $1 and d.recycled_at is null and d.product_id = any ($2::uuid[])`,
  groupIds: sql<{
    n: number
  }>`select count(*)::int as n from devices d where d.tenant_id = $1 and d.recycled_at is null and d.group_id = any ($2::uuid[])`,
  tags: sql<{
    n: number
  }>`select count(*)::int as n from devices d where d.tenant_id = $1 and d.recycled_at is null and d.tags && $2::text[]`,
}

export async function countWatched(
  scope: TenantScope,
  field: keyof typeof COUNT_OF_SCOPE,
  values: readonly string[],
): Promise<number> {
  return (await scope.run(COUNT_OF_SCOPE[field], [scope.tenantId, values])).rows[0]!.n
}

export interface ProductModelRow {
  id: string
  name: string
  properties: { identifier: string; dataType: { type: string } }[] | null
  events: { identifier: string }[] | null
}

const MODELS = sql<ProductModelRow>`select id, name, coalesce(published_model, draft_model) -> 'properties' as properties,
  coalesce(published_model, draft_model) -> 'events' as events from products where id = any ($1::uuid[])`

export async function productModels(scope: TenantScope, ids: readonly string[]): Promise<ProductModelRow[]> {
  return ids.length === 0 ? [] : (await scope.run(MODELS, [ids])).rows
}

interface Named {
  id: string
  name: string
}
const NAMES = {
  deviceIds: sql<Named>`select id, name from devices where id = any ($1::uuid[])`,
  productIds: sql<Named>`select id, name from products where id = any ($1::uuid[])`,
  groupIds: sql<Named>`select id, name from groups where id = any ($1::uuid[])`,
}

export async function namesOf(
  scope: TenantScope,
  field: keyof typeof NAMES,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  return new Map((await scope.run(NAMES[field], [ids])).rows.map(({ id, name }) => [id, name]))
}

// For the engine

const LOAD_ALL = sql<TriggerRow>`select ${COLUMNS} from triggers t order by t.id`
const LOAD = sql<TriggerRow>`select ${COLUMNS} from triggers t where t.id = any ($1::uuid[])`
const LOAD_COMPANIES = sql<TriggerRow>`select ${COLUMNS} from triggers t where t.tenant_id = any ($1::uuid[])`

export async function loadAll(db: Connection): Promise<TriggerRow[]> {
  return (await runOn(db, LOAD_ALL)).rows
}

export async function load(db: Connection, ids: readonly string[]): Promise<TriggerRow[]> {
  return (await runOn(db, LOAD, [ids])).rows
}

export async function loadCompanies(db: Connection, tenantIds: readonly string[]): Promise<TriggerRow[]> {
  return (await runOn(db, LOAD_COMPANIES, [tenantIds])).rows
}

const TAKE_MARKS = sql<{ tenantId: string }>`with taken as (
    delete from trigger_marks where id in (select id from trigger_marks order by id limit 10000) returning tenant_id)
  select distinct tenant_id as "tenantId" from taken`

/** Companies whose devices, groups or models changed since the last look. */
export async function takeMarks(db: Connection): Promise<string[]> {
  return (await runOn(db, TAKE_MARKS)).rows.map(({ tenantId }) => tenantId)
}

const SET_FAULT = sql`update triggers set fault = $2, updated_at = now() where id = $1`

export async function setFault(scope: SystemScope, id: string, fault: Fault | null): Promise<void> {
  await scope.run(SET_FAULT, [id, fault === null ? null : JSON.stringify(fault)])
}

// What they did

export interface RunRow {
  id: string
  at: Date
  cause: 'raised' | 'cleared' | 'paused'
  by: 'row' | 'timer' | 'rule'
  deviceId: string | null
  deviceName: string | null
  deviceNo: string | null
  alarmId: string | null
  ruleVersion: number
  values: { deviceId: string | null; property: string; value: unknown; ts: number }[]
  latencyMs: number
  actions: {
    index: number
    kind: string
    result: 'pending' | 'done' | 'failed' | 'skipped'
    message: string | null
    attempts: number
    commandId: string | null
    finishedAt: string | null
    latencyMs: number | null
  }[]
}

export const RUNS = listSql<RunRow, { cause?: string; deviceId?: string }, 'at'>({
  columns: part`r.id, r.at, r.cause, r.by, r.device_id as "deviceId", d.name as "deviceName", d.device_no as "deviceNo",
    r.alarm_id as "alarmId", r.rule_version as "ruleVersion", r.values, r.latency_ms as "latencyMs",
    (select coalesce(jsonb_agg(jsonb_build_object('index', a.index, 'kind', a.kind, 'result', a.result, 'message', a.message,
      'attempts', a.attempts, 'commandId', a.command_id,
      'finishedAt', to_char(a.finished_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'latencyMs', (extract(epoch from a.finished_at - a.created_at) * 1000)::int) order by a.index), '[]')
      from trigger_actions a where a.run_id = r.id) as actions`,
  from: part`trigger_runs r left join devices d on d.id = r.device_id`,
  where: part`r.trigger_id = $1`,
  given: 1,
  filters: { cause: part`r.cause = $1`, deviceId: part`r.device_id = $1` },
  sorts: { at: { by: part`r.at`, type: 'timestamptz' } },
  id: { by: part`r.id`, type: 'uuid' },
})

const COUNT_OWNED = sql<{ n: number }>`select count(*)::int as n from triggers where created_by = $1`
const HAND_OVER = sql<{ id: string }>`update triggers set created_by = $2, version = version + 1, updated_at = now(),
  fault = case when fault ->> 'code' in ('owner_gone', 'owner_rights') then null else fault end
  where created_by = $1 returning id`

const PAUSE_OF_OTHERS = sql<{
  id: string
  name: string
}>`update triggers t set enabled = false, version = version + 1, updated_at = now()
  where t.tenant_id = $1 and t.enabled
    and ($4 or t.created_by in (select u.id from end_users u where u.tenant_id = $1) and t.created_by <> all ($3::uuid[]))
    and exists (select 1 from unnest($2::text[]) as d (id) where strpos(t.document::text, d.id) > 0)
  returning t.id, t.name`

/**
 * Stops the triggers of end users that name one of the devices, but for those of `keep`.
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

const GO_ALONG = sql<{ id: string }>`update triggers t set created_by = $4,
    created_by_name = coalesce((select username from logins where id = $4), created_by_name), version = version + 1, updated_at = now()
  where t.tenant_id = $1 and t.created_by = any ($3::uuid[]) and jsonb_typeof(t.document #> '{scope,deviceIds}') = 'array'
    and not exists (select 1 from jsonb_array_elements_text(t.document #> '{scope,deviceIds}') d where d <> all ($2::text[]))
  returning t.id`

/** Gives triggers that watch these devices alone to another owner. */
export async function goAlong(
  scope: TenantScope,
  deviceIds: readonly string[],
  from: readonly string[],
  to: string,
): Promise<string[]> {
  return (await scope.run(GO_ALONG, [scope.tenantId, deviceIds, from, to])).rows.map(({ id }) => id)
}

export async function countOwned(scope: TenantScope, loginId: string): Promise<number> {
  return (await scope.run(COUNT_OWNED, [loginId])).rows[0]!.n
}

export async function handOver(scope: TenantScope, from: string, to: string): Promise<string[]> {
  return (await scope.run(HAND_OVER, [from, to])).rows.map(({ id }) => id)
}
