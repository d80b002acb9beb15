import type { LoraGatewayView } from '@thingwright/contracts/lora-gateways.contract'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { GatewayState, LnsGateway, LnsGatewayItem } from './lns.port.ts'

export interface GatewayRow
  extends Pick<
    LoraGatewayView,
    | 'id'
    | 'connectionId'
    | 'connectionName'
    | 'simulated'
    | 'gatewayId'
    | 'name'
    | 'description'
    | 'location'
    | 'locationSource'
    | 'statsInterval'
    | 'downlinkPriority'
    | 'tags'
    | 'metadata'
    | 'regionConfigId'
    | 'state'
    | 'version'
  > {
  tenantId: string
  lastSeenAt: Date | null
  stateSince: Date | null
  createdAt: Date
  updatedAt: Date
  syncedAt: Date
}

const COLUMNS = part`g.id, g.tenant_id as "tenantId", g.connection_id as "connectionId", c.name as "connectionName", c.simulated,
  g.gateway_id as "gatewayId", g.name, g.description, g.location, g.location_source as "locationSource",
  g.stats_interval as "statsInterval", g.downlink_priority as "downlinkPriority", g.tags, g.metadata,
  g.region_config_id as "regionConfigId", g.state, g.state_since as "stateSince", g.last_seen_at as "lastSeenAt", g.version,
  g.created_at as "createdAt", g.updated_at as "updatedAt", g.synced_at as "syncedAt"`
const FROM = part`lora_gateways g join lora_connections c on c.id = g.connection_id`

const FIND = sql<GatewayRow>`select ${COLUMNS} from ${FROM} where g.id = $1`
const COUNTS = sql<{
  state: GatewayState
  n: number
  since: Date | null
}>`select state, count(*)::int as n, min(state_since) as since
  from lora_gateways group by state`

export async function find(scope: Runner, id: string): Promise<GatewayRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export async function counts(scope: Runner): Promise<{ state: GatewayState; n: number; since: Date | null }[]> {
  return (await scope.run(COUNTS)).rows
}

const FACTS = sql<
  Pick<GatewayRow, 'id' | 'gatewayId' | 'name' | 'state' | 'lastSeenAt'>
>`select id, gateway_id as "gatewayId", name,
  state, last_seen_at as "lastSeenAt" from lora_gateways where state <> 'never_seen' order by name, id`

/** What triggers can ask of the gateways that were seen. */
export async function facts(scope: Runner) {
  return (await scope.run(FACTS)).rows
}

export interface GatewayFilter {
  q?: string
  connectionId?: string
  state?: string
}
export const GATEWAY_SORTS = ['createdAt', 'name', 'gatewayId', 'lastSeenAt', 'stateSince'] as const
export type GatewaySort = (typeof GATEWAY_SORTS)[number]

export const LIST = listSql<GatewayRow, GatewayFilter, GatewaySort>({
  columns: COLUMNS,
  from: FROM,
  filters: {
    q: part`(g.name ilike $1 or g.gateway_id ilike $1 or g.description ilike $1)`,
    connectionId: part`g.connection_id = $1`,
    state: part`g.state = $1`,
  },
  sorts: {
    createdAt: { by: part`g.created_at`, type: 'timestamptz' },
    name: { by: part`lower(g.name)`, type: 'text' },
    gatewayId: { by: part`g.gateway_id`, type: 'text' },
    lastSeenAt: { by: part`coalesce(g.last_seen_at, '-infinity')`, type: 'timestamptz' },
    stateSince: { by: part`coalesce(g.state_since, '-infinity')`, type: 'timestamptz' },
  },
  id: { by: part`g.id`, type: 'uuid' },
})

/** A row of a server's list. The version counts what people see changed, not that it was heard again. */
const KEEP = sql<{ id: string; was: GatewayState | null }>`with before as (
    select id, state from lora_gateways where connection_id = $3 and gateway_id = $4
  )
  insert into lora_gateways (id, tenant_id, connection_id, gateway_id, name, description, location, location_source,
    downlink_priority, region_config_id, state, state_since, last_seen_at, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $12, $13, $14, $15)
  on conflict (connection_id, gateway_id) do update set name = excluded.name, description = excluded.description,
    location = excluded.location, location_source = excluded.location_source, downlink_priority = excluded.downlink_priority,
    region_config_id = coalesce(excluded.region_config_id, lora_gateways.region_config_id), state = excluded.state,
    state_since = case when lora_gateways.state = excluded.state then lora_gateways.state_since else excluded.state_since end,
    last_seen_at = excluded.last_seen_at, created_at = excluded.created_at, updated_at = excluded.updated_at, synced_at = now(),
    version = lora_gateways.version + (lora_gateways.updated_at <> excluded.updated_at)::int
  returning id, (select state from before) as was`
const WHOLE = sql`update lora_gateways set name = $2, description = $3, location = $4::jsonb, location_source = $5,
    stats_interval = $6, downlink_priority = $7, tags = $8::jsonb, metadata = $9::jsonb, last_seen_at = $10, synced_at = now(),
    updated_at = $11, version = version + (updated_at <> $11)::int where id = $1`
const GONE = sql`delete from lora_gateways where connection_id = $1 and gateway_id <> all ($2)`
const REMOVE = sql`delete from lora_gateways where id = $1`

export async function keep(
  scope: Runner,
  ids: { id: string; tenantId: string; connectionId: string; now: Date },
  item: LnsGatewayItem,
): Promise<{ id: string; was: GatewayState | null }> {
  const { rows } = await scope.run(KEEP, [
    ids.id,
    ids.tenantId,
    ids.connectionId,
    item.gatewayId,
    item.name,
    item.description,
    item.location === null ? null : JSON.stringify(item.location),
    item.locationSource,
    item.downlinkPriority,
    item.regionConfigId,
    item.state,
    item.state === 'never_seen' ? null : item.state === 'offline' ? item.lastSeenAt : ids.now,
    item.lastSeenAt,
    item.createdAt,
    item.updatedAt,
  ])
  return rows[0]!
}

/** Everything of it, as it was read just now. */
export async function keepWhole(scope: Runner, id: string, gateway: LnsGateway): Promise<void> {
  await scope.run(WHOLE, [
    id,
    gateway.name,
    gateway.description,
    gateway.location === null ? null : JSON.stringify(gateway.location),
    gateway.locationSource,
    gateway.statsInterval,
    gateway.downlinkPriority,
    JSON.stringify(gateway.tags),
    JSON.stringify(gateway.metadata),
    gateway.lastSeenAt,
    gateway.updatedAt,
  ])
}

/** Gateways of the connection that the server no longer has. */
export async function forgetGone(scope: Runner, connectionId: string, gatewayIds: readonly string[]): Promise<void> {
  await scope.run(GONE, [connectionId, gatewayIds])
}

export async function remove(scope: Runner, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}
