import type { TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export interface ConnectionFault {
  kind: string
  code: string
  text: string
}

/** The broker of ChirpStack's MQTT integration. */
export interface Broker {
  host: string
  port: number
  tls: boolean
  username: string
  prefix: string
}

export interface ConnectionRow {
  id: string
  tenantId: string
  name: string
  url: string
  remoteTenantId: string
  remoteTenantName: string | null
  email: string
  regions: string[]
  cipher: Buffer
  simulated: boolean
  state: 'untested' | 'ok' | 'failed' | 'disabled'
  fault: ConnectionFault | null
  mqtt: Broker | null
  mqttState: 'off' | 'waiting' | 'connected' | 'failed'
  mqttFault: ConnectionFault | null
  mqttSince: Date | null
  testedAt: Date | null
  syncedAt: Date | null
  version: number
  createdAt: Date
}

const COLUMNS = part`c.id, c.tenant_id as "tenantId", c.name, c.url, c.remote_tenant_id as "remoteTenantId",
  c.remote_tenant_name as "remoteTenantName", c.email, c.regions, c.secrets_cipher as cipher, c.simulated, c.state, c.fault,
  c.mqtt, c.mqtt_state as "mqttState", c.mqtt_fault as "mqttFault", c.mqtt_since as "mqttSince", c.tested_at as "testedAt", c.synced_at as "syncedAt", c.version, c.created_at as "createdAt"`

export type ListedConnection = ConnectionRow & { profiles: number; gateways: number }
const LISTED = part`${COLUMNS}, (select count(*)::int from lora_profiles p where p.connection_id = c.id) as profiles,
  (select count(*)::int from lora_gateways g where g.connection_id = c.id) as gateways`

const LIST = sql<ListedConnection>`select ${LISTED} from lora_connections c order by lower(c.name), c.id`
const FIND = sql<ListedConnection>`select ${LISTED} from lora_connections c where c.id = $1`
const NAMED = sql<{ id: string }>`select id from lora_connections where lower(name) = lower($1)`

export async function list(scope: Runner): Promise<ListedConnection[]> {
  return (await scope.run(LIST)).rows
}

export async function find(scope: Runner, id: string): Promise<ListedConnection | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export async function idNamed(scope: TenantScope, name: string): Promise<string | null> {
  return (await scope.run(NAMED, [name])).rows[0]?.id ?? null
}

export interface ConnectionValues {
  id: string
  tenantId: string
  name: string
  url: string
  remoteTenantId: string
  email: string
  regions: string[]
  cipher: Buffer
  simulated: boolean
  state: string
  mqtt: Broker | null
  mqttState: string
}
const FIELDS = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  url: 'url',
  remoteTenantId: 'remote_tenant_id',
  email: 'email',
  regions: 'regions',
  cipher: 'secrets_cipher',
  simulated: 'simulated',
  state: 'state',
  mqtt: { json: 'mqtt' },
  mqttState: 'mqtt_state',
} as const

type Values = Partial<ConnectionValues>
const INSERT = insertInto<Values>(part`lora_connections`, FIELDS)
const UPDATE = updateOf<Values>(part`lora_connections`, FIELDS, {
  always: part`version = version + 1`,
  where: part`id = $1 and version = $2`,
  given: 2,
})
/** The simulated server listens elsewhere after each start. */
const MOVE_SIMULATED = sql`update lora_connections set url = $2, version = version + 1
  where tenant_id = $1 and simulated and url <> $2`
const REMOVE = sql`delete from lora_connections where id = $1`
const NOTE = sql`update lora_connections set state = case when state = 'disabled' then state else $2 end, fault = $3::jsonb,
  tested_at = coalesce($4, tested_at), remote_tenant_name = coalesce($5, remote_tenant_name) where id = $1`
/** Held by this process for a while, unless another one holds it. */
const HOLD_FEED = sql<{
  id: string
}>`update lora_connections set mqtt_holder = $2, mqtt_held_until = clock_timestamp() + interval '20 seconds'
  where id = $1 and (mqtt_holder is null or mqtt_holder = $2 or mqtt_held_until < clock_timestamp()) returning id`
const LET_FEED_GO = sql`update lora_connections set mqtt_holder = null, mqtt_held_until = null where id = $1 and mqtt_holder = $2`
const NOTE_FEED = sql`update lora_connections set mqtt_state = $2, mqtt_fault = $3::jsonb, mqtt_since = $4
  where id = $1 and (mqtt_state, mqtt_fault) is distinct from ($2, $3::jsonb)`
const SYNCED = sql`update lora_connections set synced_at = $2 where id = $1`

export async function insert(scope: TenantScope, values: Values): Promise<void> {
  await scope.run(...INSERT.of(values))
}

/** @returns false when it has another version by now */
export async function update(scope: TenantScope, id: string, version: number, values: Values): Promise<boolean> {
  return (await scope.run(...UPDATE.of(values, id, version))).rowCount === 1
}

export async function moveSimulated(scope: Runner, tenantId: string, url: string): Promise<void> {
  await scope.run(MOVE_SIMULATED, [tenantId, url])
}

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

/** What the server said of the connection. @param tested of a test: when, and the name of the tenant */
export async function note(
  scope: Runner,
  id: string,
  fault: ConnectionFault | null,
  tested: { at: Date; tenantName: string | null } | null = null,
): Promise<void> {
  await scope.run(NOTE, [
    id,
    fault === null ? 'ok' : 'failed',
    fault === null ? null : JSON.stringify(fault),
    tested?.at ?? null,
    tested?.tenantName ?? null,
  ])
}

/** @returns false when another process listens to this broker */
export async function holdFeed(scope: Runner, id: string, holder: string): Promise<boolean> {
  return (await scope.run(HOLD_FEED, [id, holder])).rows.length === 1
}

export async function letFeedGo(scope: Runner, id: string, holder: string): Promise<void> {
  await scope.run(LET_FEED_GO, [id, holder])
}

/** How the broker is listened to now. */
export async function noteFeed(
  scope: Runner,
  id: string,
  state: ConnectionRow['mqttState'],
  fault: ConnectionFault | null,
  at: Date,
): Promise<void> {
  await scope.run(NOTE_FEED, [id, state, fault === null ? null : JSON.stringify(fault), at])
}

export async function noteSync(scope: Runner, id: string, at: Date): Promise<void> {
  await scope.run(SYNCED, [id, at])
}

const ZONE = sql<{ zone: string }>`select time_zone as zone from tenants where id = $1`

/** IANA name of the company's time zone. */
export async function timeZoneOf(scope: Runner, tenantId: string): Promise<string> {
  return (await scope.run(ZONE, [tenantId])).rows[0]?.zone ?? 'UTC'
}
