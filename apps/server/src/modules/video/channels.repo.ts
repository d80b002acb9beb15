import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { VendorChannel, VendorDevice } from './video.port.ts'

export interface ChannelRow {
  id: string
  tenantId: string
  accountId: string | null
  accountName: string | null
  serial: string | null
  channelNo: number | null
  name: string
  model: string
  state: 'online' | 'offline' | 'unknown'
  encrypted: boolean | null
  codeCipher: Buffer | null
  armed: boolean | null
  streamUrl: string | null
  deviceId: string | null
  deviceName: string | null
  snapshotAt: Date | null
  /** Its newest picture. */
  cover: string | null
  syncedAt: Date | null
  version: number
  createdAt: Date
}

const COLUMNS = part`c.id, c.tenant_id as "tenantId", c.account_id as "accountId", a.name as "accountName", c.serial,
  c.channel_no as "channelNo", c.name, c.model, c.state, c.encrypted, c.code_cipher as "codeCipher", c.armed, c.stream_url as "streamUrl",
  c.device_id as "deviceId", d.name as "deviceName", c.snapshot_at as "snapshotAt",
  (select s.id from video_snapshots s where s.channel_id = c.id and s.object_key <> '' order by s.at desc, s.id desc limit 1) as cover,
  c.synced_at as "syncedAt", c.version,
  c.created_at as "createdAt"`
const FROM = part`video_channels c left join video_accounts a on a.id = c.account_id left join devices d on d.id = c.device_id`

export interface ChannelFilter {
  q?: string
  accountId?: string
  source?: 'ezviz' | 'address'
  state?: string
  bound?: 'yes' | 'no'
  deviceId?: string
}
export const CHANNEL_SORTS = ['name', 'createdAt'] as const

export const CHANNELS = listSql<ChannelRow, ChannelFilter, (typeof CHANNEL_SORTS)[number]>({
  columns: COLUMNS,
  from: FROM,
  countFrom: FROM,
  filters: {
    q: part`(c.name ilike $1 or c.serial ilike $1 or d.name ilike $1 or a.name ilike $1)`,
    accountId: part`c.account_id = $1`,
    source: { ezviz: part`c.account_id is not null`, address: part`c.account_id is null` },
    state: part`c.state = $1`,
    bound: { yes: part`c.device_id is not null`, no: part`c.device_id is null` },
    deviceId: part`c.device_id = $1`,
  },
  sorts: {
    name: { by: part`c.name`, type: 'text' },
    createdAt: { by: part`c.created_at`, type: 'timestamptz' },
  },
  id: { by: part`c.id`, type: 'uuid' },
})

const FIND = sql<ChannelRow>`select ${COLUMNS} from ${FROM} where c.id = $1`
export const find = async (scope: Runner, id: string): Promise<ChannelRow | undefined> =>
  (await scope.run(FIND, [id])).rows[0]

const COUNT = sql<{ n: number }>`select count(*)::int as n from video_channels`
export const count = async (scope: TenantScope) => (await scope.run(COUNT)).rows[0]!.n

const COUNTS = sql<{
  total: number
  online: number
  offline: number
  bound: number
}>`select count(*)::int as total, count(*) filter (where state = 'online')::int as online,
    count(*) filter (where state = 'offline')::int as offline, count(device_id)::int as bound from video_channels`
export const counts = async (scope: TenantScope) => (await scope.run(COUNTS)).rows[0]!

const INSERT = sql`insert into video_channels (id, tenant_id, name, stream_url, device_id) values ($1, $2, $3, $4, $5)`
export async function insert(
  scope: TenantScope,
  of: { id: string; name: string; streamUrl: string; deviceId: string | null },
): Promise<void> {
  await scope.run(INSERT, [of.id, scope.tenantId, of.name, of.streamUrl, of.deviceId])
}

const PUT = sql<{
  id: string
  fresh: boolean
}>`insert into video_channels as c (id, tenant_id, account_id, serial, channel_no, name, model, state, encrypted, synced_at)
  select v.id, $2, $3, v.serial, v."channelNo", v.name, v.model, case when v.online then 'online' else 'offline' end, v.encrypted, $4
  from jsonb_to_recordset($1::jsonb) as v(id uuid, serial text, "channelNo" int, name text, model text, online boolean, encrypted boolean)
  on conflict (tenant_id, serial, channel_no) where serial is not null do update set account_id = excluded.account_id,
    name = case when c.own_name then c.name else excluded.name end, model = excluded.model, state = excluded.state,
    encrypted = excluded.encrypted, synced_at = excluded.synced_at
  returning id, (xmax = 0) as fresh`
/** Stores channels as the vendor has them. @returns ids, and which of them are new */
export async function put(
  scope: TenantScope,
  accountId: string,
  channels: readonly VendorChannel[],
  at: Date,
): Promise<{ id: string; fresh: boolean }[]> {
  // A list that was read while somebody added a camera can hold one twice.
  const each = new Map(channels.map(channel => [`${channel.serial}/${channel.channelNo}`, channel]))
  const rows = [...each.values()].map(channel => ({ ...channel, id: newId() }))
  return (await scope.run(PUT, [JSON.stringify(rows), scope.tenantId, accountId, at])).rows
}

const GONE = sql<{ id: string }>`update video_channels set state = 'offline' where account_id = $1
  and (synced_at is null or synced_at < $2) and state <> 'offline' returning id`
/** Channels that the vendor no longer lists count as offline; what is bound to them stays. */
export const gone = async (scope: TenantScope, accountId: string, before: Date) =>
  (await scope.run(GONE, [accountId, before])).rows.length

const UPDATE = sql<{
  id: string
}>`update video_channels set name = $3, own_name = own_name or $4, stream_url = $5, device_id = $6, code_cipher = $7,
    version = version + 1 where id = $1 and version = $2 returning id`
/** @returns false when it has another version by now */
export async function update(
  scope: TenantScope,
  id: string,
  version: number,
  of: { name: string; renamed: boolean; streamUrl: string | null; deviceId: string | null; codeCipher: Buffer | null },
): Promise<boolean> {
  const values = [id, version, of.name, of.renamed, of.streamUrl, of.deviceId, of.codeCipher]
  return (await scope.run(UPDATE, values)).rows.length > 0
}

const DEVICES = sql`update video_channels c set armed = v.armed, model = case when v.model = '' then c.model else v.model end
  from jsonb_to_recordset($2::jsonb) as v(serial text, model text, armed boolean) where c.account_id = $1 and c.serial = v.serial`
/** Keeps what the vendor says of whole devices: model, and whether they are armed. */
export async function putDevices(
  scope: TenantScope,
  accountId: string,
  devices: readonly VendorDevice[],
): Promise<void> {
  await scope.run(DEVICES, [accountId, JSON.stringify(devices)])
}

const ARMED = sql`update video_channels set armed = $3 where account_id = $1 and serial = $2`
/** All channels of a recorder are armed together. */
export async function keepArmed(scope: TenantScope, accountId: string, serial: string, armed: boolean): Promise<void> {
  await scope.run(ARMED, [accountId, serial, armed])
}

const CODE = sql`update video_channels set code_cipher = $2 where id = $1`
export async function keepCode(scope: TenantScope, id: string, cipher: Buffer): Promise<void> {
  await scope.run(CODE, [id, cipher])
}

const REMOVE = sql`delete from video_channels where id = $1`
const REMOVE_DEVICE = sql`delete from video_channels where account_id = $1 and serial = $2`
export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}
/** All channels of a camera or recorder. */
export async function removeDevice(scope: TenantScope, accountId: string, serial: string): Promise<void> {
  await scope.run(REMOVE_DEVICE, [accountId, serial])
}

const DEVICE = sql<{ id: string; name: string }>`select id, name from devices where id = $1 and lifecycle <> 'recycled'`
export const device = async (scope: Runner, id: string) => (await scope.run(DEVICE, [id])).rows[0]

const PRESETS = sql<{
  id: string
  index: number
  name: string
}>`select id, index, name from video_presets where channel_id = $1 order by index`
export const presets = async (scope: Runner, channelId: string) => (await scope.run(PRESETS, [channelId])).rows

const INSERT_PRESET = sql`insert into video_presets (id, tenant_id, channel_id, index, name) values ($1, $2, $3, $4, $5)
  on conflict (channel_id, index) do update set name = excluded.name`
export async function insertPreset(
  scope: TenantScope,
  of: { id: string; channelId: string; index: number; name: string },
): Promise<void> {
  await scope.run(INSERT_PRESET, [of.id, scope.tenantId, of.channelId, of.index, of.name])
}
const REMOVE_PRESET = sql`delete from video_presets where id = $1`
export async function removePreset(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE_PRESET, [id])
}

export interface SnapshotRow {
  id: string
  channelId: string
  objectKey: string
  contentType: string
  by: string
  at: Date
  alarmId: string | null
}
const SNAPSHOT = part`id, channel_id as "channelId", object_key as "objectKey", content_type as "contentType", by_name as by, at,
  alarm_id as "alarmId"`
const INSERT_SNAPSHOT = sql`insert into video_snapshots (id, tenant_id, channel_id, object_key, content_type, by_name, at,
    alarm_id)
  values ($1, $2, $3, $4, $5, $6, $7, (select id from alarms where id = $8))`
const TAKEN = sql`update video_channels set snapshot_at = $2 where id = $1`
export async function insertSnapshot(scope: TenantScope, of: SnapshotRow): Promise<void> {
  const { id, channelId, objectKey, contentType, by, at, alarmId } = of
  await scope.run(INSERT_SNAPSHOT, [id, scope.tenantId, channelId, objectKey, contentType, by, at, alarmId])
  await scope.run(TAKEN, [of.channelId, of.at])
}
const FIND_SNAPSHOT = sql<SnapshotRow>`select ${SNAPSHOT} from video_snapshots where id = $1`
export const snapshot = async (scope: Runner, id: string) => (await scope.run(FIND_SNAPSHOT, [id])).rows[0]
const SNAPSHOTS = sql<SnapshotRow>`select ${SNAPSHOT} from video_snapshots where channel_id = $1 and object_key <> ''
  and ($2::timestamptz is null or (at, id) < ($2, $3::uuid)) order by at desc, id desc limit $4`
export const snapshots = async (
  scope: Runner,
  channelId: string,
  after: readonly [string, string] | null,
  limit: number,
) => (await scope.run(SNAPSHOTS, [channelId, after?.[0] ?? null, after?.[1] ?? null, limit])).rows

const OF_ALARM = sql<
  SnapshotRow & { channelName: string }
>`select s.id, s.channel_id as "channelId", s.object_key as "objectKey",
    s.content_type as "contentType", s.by_name as by, s.at, s.alarm_id as "alarmId", c.name as "channelName"
  from video_snapshots s join video_channels c on c.id = s.channel_id
  where s.object_key <> '' and (s.alarm_id = $1 or (s.vendor_alarm is not null and exists (select 1 from alarm_occurrences o
    join alarms l on l.id = o.alarm_id where o.alarm_id = $1 and l.target_kind = 'camera' and l.target_id = s.channel_id::text
    and o.values @> jsonb_build_array(jsonb_build_object('property', 'alarmId', 'value', s.vendor_alarm))))) order by s.at, s.id limit 100`
const ALARM = sql<{ id: string }>`select id from alarms where id = $1`
const OF_DEVICE = sql<{ id: string }>`select id from video_channels where device_id = $1 and account_id is not null
  order by name, id limit $2`

export const isAlarm = async (scope: Runner, id: string) => (await scope.run(ALARM, [id])).rows.length > 0

/** Pictures of an alarm, the oldest first. */
export const picturesOf = async (scope: Runner, alarmId: string) => (await scope.run(OF_ALARM, [alarmId])).rows

/** Cameras of a device that can be asked for a picture. */
export const ofDevice = async (scope: Runner, deviceId: string, limit: number): Promise<string[]> =>
  (await scope.run(OF_DEVICE, [deviceId, limit])).rows.map(({ id }) => id)
