import type { TenantScope } from '../../lib/database/database.ts'
import type { ListPosition } from '../../lib/sql/list.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface OwnedDevice {
  id: string
  num: number
  name: string
  ownerId: string | null
  ownerName: string
}

const HOLD_DEVICES = sql<OwnedDevice>`select d.id, d.num, d.name, d.owner_id as "ownerId",
    coalesce((select coalesce(nullif(l.display_name, ''), l.username) from logins l where l.id = d.owner_id), '') as "ownerName"
  from devices d where d.id = any ($1::uuid[]) and d.recycled_at is null order by d.id for update of d`

/** The given devices that are in the caller's scope, locked until the transaction ends. */
export async function holdDevices(scope: TenantScope, ids: readonly string[]): Promise<OwnedDevice[]> {
  return (await scope.run(HOLD_DEVICES, [ids])).rows
}

const OVER_QUOTA = sql<{ name: string; limit: number; used: number; more: number }>`
  select coalesce(nullif(l.display_name, ''), l.username) as name, coalesce(a.device_quota, p.device_quota) as limit,
    (select count(*)::int from devices d where d.tenant_id = a.tenant_id and d.recycled_at is null
      and d.owner_id in (select b.id from end_users b where b.path @> array[a.id])) as used,
    (select count(*)::int from devices d where d.id = any ($2::uuid[])
      and (d.owner_id is null or d.owner_id not in (select b.id from end_users b where b.path @> array[a.id]))) as more
  from end_users a join logins l on l.id = a.id left join user_packages p on p.id = a.package_id
  where a.id = any ($1::uuid[]) and coalesce(a.device_quota, p.device_quota) is not null order by cardinality(a.path) desc`

/** Quotas along a path with what is used of them and how many devices would come. */
export async function quotasAlong(
  scope: TenantScope,
  path: readonly string[],
  deviceIds: readonly string[],
): Promise<{ name: string; limit: number; used: number; more: number }[]> {
  return (await scope.run(OVER_QUOTA, [path, deviceIds])).rows
}

export interface NewHandover {
  id: string
  deviceId: string
  fromId: string | null
  fromName: string
  toId: string | null
  toName: string
  withHistory: boolean
  withTriggers: boolean
  paused: { id: string; name: string }[]
  byName: string
}

const INSERT = sql`insert into device_handovers (id, tenant_id, device_id, from_id, from_name, to_id, to_name, with_history, with_triggers, paused, by_name)
  select v.id, $2, v."deviceId", v."fromId", v."fromName", v."toId", v."toName", v."withHistory", v."withTriggers", v.paused, v."byName"
  from jsonb_to_recordset($1::jsonb) as v (id uuid, "deviceId" uuid, "fromId" uuid, "fromName" text, "toId" uuid, "toName" text,
    "withHistory" boolean, "withTriggers" boolean, paused jsonb, "byName" text)`

export async function insertHandovers(scope: TenantScope, rows: readonly NewHandover[]): Promise<void> {
  if (rows.length > 0) await scope.run(INSERT, [JSON.stringify(rows), scope.tenantId])
}

export interface HandoverRow extends Omit<NewHandover, 'byName'> {
  deviceName: string | null
  deviceNo: string | null
  byName: string
  at: Date
  position: string
}

const LIST_COLUMNS = part`h.id, h.device_id as "deviceId", d.name as "deviceName", d.device_no as "deviceNo", h.from_id as "fromId",
  h.from_name as "fromName", h.to_id as "toId", h.to_name as "toName", h.with_history as "withHistory",
  h.with_triggers as "withTriggers", h.paused, h.by_name as "byName", h.at, h.at::text as position`
const LIST = sql<HandoverRow>`select ${LIST_COLUMNS} from device_handovers h left join devices d on d.id = h.device_id
  where (h.from_id = $1 or h.to_id = $1) and ($2::timestamptz is null or (h.at, h.id) < ($2::timestamptz, $3::uuid))
  order by h.at desc, h.id desc limit $4`

export async function listHandovers(
  scope: TenantScope,
  userId: string,
  after: ListPosition | null,
  limit: number,
): Promise<HandoverRow[]> {
  return (await scope.run(LIST, [userId, after?.[0] ?? null, after?.[1] ?? null, limit])).rows
}

const DEVICES_OF = sql<{
  id: string
}>`select id from devices where owner_id = any ($1::uuid[]) and recycled_at is null order by num limit $2`

/** Devices of these owners, the oldest first. */
export async function deviceIdsOf(scope: TenantScope, owners: readonly string[], limit: number): Promise<string[]> {
  return (await scope.run(DEVICES_OF, [owners, limit])).rows.map(row => row.id)
}
