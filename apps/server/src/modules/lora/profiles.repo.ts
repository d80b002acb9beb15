import type { LoraProfileFields } from '@thingwright/contracts/lora-profiles.contract'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { LnsProfile, LnsProfileItem } from './lns.port.ts'

export interface ProfileRow {
  id: string
  tenantId: string
  connectionId: string
  connectionName: string
  simulated: boolean
  remoteId: string
  name: string
  region: LoraProfileFields['region']
  macVersion: LoraProfileFields['macVersion']
  regParamsRevision: LoraProfileFields['regParamsRevision']
  supportsOtaa: boolean
  supportsClassB: boolean
  supportsClassC: boolean
  codecRuntime: LoraProfileFields['codecRuntime']
  shared: boolean
  settings: LoraProfileFields | null
  version: number
  createdAt: Date
  updatedAt: Date
  syncedAt: Date
}

const COLUMNS = part`p.id, p.tenant_id as "tenantId", p.connection_id as "connectionId", c.name as "connectionName", c.simulated,
  p.remote_id as "remoteId", p.name, p.region, p.mac_version as "macVersion", p.reg_params_revision as "regParamsRevision",
  p.otaa as "supportsOtaa", p.class_b as "supportsClassB", p.class_c as "supportsClassC", p.codec as "codecRuntime", p.shared,
  p.settings, p.version, p.created_at as "createdAt", p.updated_at as "updatedAt", p.synced_at as "syncedAt"`
const FROM = part`lora_profiles p join lora_connections c on c.id = p.connection_id`

const FIND = sql<ProfileRow>`select ${COLUMNS} from ${FROM} where p.id = $1`

export async function find(scope: Runner, id: string): Promise<ProfileRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export interface ProfileFilter {
  q?: string
  connectionId?: string
  region?: string
  class?: string
  codec?: string
}
export const PROFILE_SORTS = ['createdAt', 'updatedAt', 'name'] as const
export type ProfileSort = (typeof PROFILE_SORTS)[number]

export const LIST = listSql<ProfileRow, ProfileFilter, ProfileSort>({
  columns: COLUMNS,
  from: FROM,
  filters: {
    q: part`(p.name ilike $1 or p.remote_id ilike $1)`,
    connectionId: part`p.connection_id = $1`,
    region: part`p.region = $1`,
    class: { a: part`not p.class_b and not p.class_c`, b: part`p.class_b`, c: part`p.class_c` },
    codec: part`p.codec = $1`,
  },
  sorts: {
    createdAt: { by: part`p.created_at`, type: 'timestamptz' },
    updatedAt: { by: part`p.updated_at`, type: 'timestamptz' },
    name: { by: part`lower(p.name)`, type: 'text' },
  },
  id: { by: part`p.id`, type: 'uuid' },
})

/** A row of a server's list; what is kept of its other fields stays until it is read whole. */
const KEEP = sql<{
  id: string
}>`insert into lora_profiles (id, tenant_id, connection_id, remote_id, name, region, mac_version,
    reg_params_revision, otaa, class_b, class_c, shared, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($13, now()), coalesce($14, now()))
  on conflict (connection_id, remote_id) do update set name = excluded.name, region = excluded.region,
    mac_version = excluded.mac_version, reg_params_revision = excluded.reg_params_revision, otaa = excluded.otaa,
    class_b = excluded.class_b, class_c = excluded.class_c, shared = excluded.shared, created_at = excluded.created_at,
    updated_at = excluded.updated_at, synced_at = now(),
    version = lora_profiles.version + (lora_profiles.updated_at <> excluded.updated_at)::int
  returning id`
const WHOLE = sql`update lora_profiles set name = $2, region = $3, mac_version = $4, reg_params_revision = $5, otaa = $6,
    class_b = $7, class_c = $8, codec = $9, settings = $10::jsonb, synced_at = now(), settings_at = $11, updated_at = $11,
    version = version + (updated_at <> $11)::int where id = $1`
const UNREAD = sql<{ id: string; remoteId: string }>`select id, remote_id as "remoteId" from lora_profiles
  where connection_id = $1 and (settings is null or settings_at is distinct from updated_at) order by id`
const GONE = sql`delete from lora_profiles where connection_id = $1 and remote_id <> all ($2)`
const REMOVE = sql`delete from lora_profiles where id = $1`

const ID_NAMED = sql<{
  id: string
}>`select id from lora_profiles where connection_id = $1 and name = $2 order by id limit 1`

export async function idNamed(scope: Runner, connectionId: string, name: string): Promise<string | undefined> {
  return (await scope.run(ID_NAMED, [connectionId, name])).rows[0]?.id
}

export async function keep(
  scope: Runner,
  ids: { id: string; tenantId: string; connectionId: string },
  item: LnsProfileItem,
): Promise<string> {
  const { rows } = await scope.run(KEEP, [
    ids.id,
    ids.tenantId,
    ids.connectionId,
    item.remoteId,
    item.name,
    item.region,
    item.macVersion,
    item.regParamsRevision,
    item.supportsOtaa,
    item.supportsClassB,
    item.supportsClassC,
    item.shared,
    item.createdAt,
    item.updatedAt,
  ])
  return rows[0]!.id
}

/** Everything of it, as it was read just now. */
export async function keepWhole(scope: Runner, id: string, { fields, updatedAt }: LnsProfile): Promise<void> {
  await scope.run(WHOLE, [
    id,
    fields.name,
    fields.region,
    fields.macVersion,
    fields.regParamsRevision,
    fields.supportsOtaa,
    fields.supportsClassB,
    fields.supportsClassC,
    fields.codecRuntime,
    JSON.stringify(fields),
    updatedAt,
  ])
}

/** Profiles that were never read whole, or not since they changed. */
export async function unread(scope: Runner, connectionId: string): Promise<{ id: string; remoteId: string }[]> {
  return (await scope.run(UNREAD, [connectionId])).rows
}

/** Profiles of the connection that the server no longer has. */
export async function forgetGone(scope: Runner, connectionId: string, remoteIds: readonly string[]): Promise<void> {
  await scope.run(GONE, [connectionId, remoteIds])
}

export async function remove(scope: Runner, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}
