import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { DevicePosition, DeviceStatus, LoraEvent, Uplink } from './events.ts'

/** Where our device of a DevEUI is found by the device path, and the port that it listens on. */
export interface BoundDevice {
  deviceId: string | null
  num: number | null
  productKey: string | null
  deviceNo: string | null
  port: number | null
}

/** An event of a device: what it says of the device, and how an uplink was heard. */
export interface Sighting {
  connectionId: string
  tenantId: string
  event: LoraEvent
  at: Date
  up: Uplink | null
}

/**
 * Ours is the device of this number whose product is one of LoRaWAN. Rows are written in the order of their keys, so that
 * two processes never wait for each other.
 */
const SEEN = sql<BoundDevice & { connectionId: string; devEui: string }>`with given as (
    select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::timestamptz[], $10::int[], $11::text[], $12::int[], $13::real[], $14::int[], $15::bigint[], $16::bigint[], $17::int[])
      as g (connection_id, dev_eui, tenant_id, name, application_id, profile, class, dev_addr, at, uplinks, gateway_id, rssi,
        snr, dr, frequency, f_cnt, f_port)
  ), ours as (
    select distinct on (g.connection_id, g.dev_eui) g.connection_id, g.dev_eui, d.id, d.num, p.product_key, d.device_no
    from given g join devices d on d.tenant_id = g.tenant_id and lower(d.device_no) = g.dev_eui and length(d.device_no) = 16
      join products p on p.id = d.product_id
    where p.link_type = 'lorawan' and d.lifecycle <> 'recycled'
    order by g.connection_id, g.dev_eui, d.created_at
  ), kept as (
    insert into lora_devices (connection_id, dev_eui, tenant_id, device_id, name, application_id, profile_remote_id, class,
      dev_addr, last_seen_at, uplinks, gateway_id, rssi, snr, dr, frequency, f_cnt, f_port)
    select g.connection_id, g.dev_eui, g.tenant_id, o.id, g.name, g.application_id, g.profile, g.class, g.dev_addr, g.at,
      g.uplinks, g.gateway_id, g.rssi, g.snr, g.dr, g.frequency, g.f_cnt, g.f_port
    from given g left join ours o on o.connection_id = g.connection_id and o.dev_eui = g.dev_eui
    order by g.connection_id, g.dev_eui
    on conflict (connection_id, dev_eui) do update set device_id = excluded.device_id, name = excluded.name,
      application_id = excluded.application_id, profile_remote_id = excluded.profile_remote_id, class = excluded.class,
      dev_addr = coalesce(excluded.dev_addr, lora_devices.dev_addr), last_seen_at = excluded.last_seen_at,
      uplinks = lora_devices.uplinks + excluded.uplinks,
      gateway_id = case when excluded.uplinks = 0 then lora_devices.gateway_id else excluded.gateway_id end,
      rssi = case when excluded.uplinks = 0 then lora_devices.rssi else excluded.rssi end,
      snr = case when excluded.uplinks = 0 then lora_devices.snr else excluded.snr end,
      dr = case when excluded.uplinks = 0 then lora_devices.dr else excluded.dr end,
      frequency = case when excluded.uplinks = 0 then lora_devices.frequency else excluded.frequency end,
      f_cnt = case when excluded.uplinks = 0 then lora_devices.f_cnt else excluded.f_cnt end,
      f_port = coalesce(excluded.f_port, lora_devices.f_port)
    returning connection_id, dev_eui, f_port
  )
  select k.connection_id as "connectionId", k.dev_eui as "devEui", k.f_port as port, o.id as "deviceId", o.num,
    o.product_key as "productKey", o.device_no as "deviceNo"
  from kept k left join ours o on o.connection_id = k.connection_id and o.dev_eui = k.dev_eui`

/**
 * Devices said something, or ChirpStack of them.
 * @param sightings of every device one at most
 * @returns what is known of each, in the same order
 */
export async function seen(scope: Runner, sightings: readonly Sighting[]): Promise<BoundDevice[]> {
  const all = <T>(of: (one: Sighting) => T) => sightings.map(of)
  const { rows } = await scope.run(SEEN, [
    all(({ connectionId }) => connectionId),
    all(({ event }) => event.devEui),
    all(({ tenantId }) => tenantId),
    all(({ event }) => event.name),
    all(({ event }) => event.applicationId),
    all(({ event }) => event.profileRemoteId),
    all(({ event }) => event.class),
    all(({ event }) => event.devAddr),
    all(({ at }) => at),
    all(({ up }) => (up ? 1 : 0)),
    all(({ up }) => up?.gatewayId || null),
    all(({ up }) => up?.rssi ?? null),
    all(({ up }) => up?.snr ?? null),
    all(({ up }) => up?.dr ?? null),
    all(({ up }) => up?.frequency ?? null),
    all(({ up }) => up?.fCnt ?? null),
    all(({ up }) => up?.port ?? null),
  ])
  const known = new Map(rows.map(({ connectionId, devEui, ...bound }) => [`${connectionId} ${devEui}`, bound]))
  return sightings.map(({ connectionId, event }) => known.get(`${connectionId} ${event.devEui}`)!)
}

const JOINED = sql`update lora_devices set joined_at = $3, f_cnt = 0 where connection_id = $1 and dev_eui = $2`
const STATUS = sql`update lora_devices set margin = $3, battery = $4, external_power = $5 where connection_id = $1 and dev_eui = $2`
/** @returns where it was said to be before */
const LOCATED = sql<{ before: { lat: number; lng: number } | null }>`update lora_devices l
  set location = $3::jsonb, location_source = $4, location_at = $5
  from (select connection_id, dev_eui, location from lora_devices where connection_id = $1 and dev_eui = $2 for update) was
  where l.connection_id = was.connection_id and l.dev_eui = was.dev_eui returning was.location as before`
const PROBLEM = sql`update lora_devices set problem = $3::jsonb, problem_at = $4 where connection_id = $1 and dev_eui = $2`

export async function joined(scope: Runner, connectionId: string, devEui: string, at: Date): Promise<void> {
  await scope.run(JOINED, [connectionId, devEui, at])
}

export async function noteStatus(scope: Runner, connectionId: string, devEui: string, of: DeviceStatus): Promise<void> {
  await scope.run(STATUS, [connectionId, devEui, of.margin, of.battery, of.externalPower])
}

/** @returns where ChirpStack had it before; null: nowhere */
export async function located(
  scope: Runner,
  connectionId: string,
  devEui: string,
  of: DevicePosition,
  at: Date,
): Promise<{ lat: number; lng: number } | null> {
  const { source, ...place } = of
  const { rows } = await scope.run(LOCATED, [connectionId, devEui, JSON.stringify(place), source, at])
  return rows[0]?.before ?? null
}

export async function noteProblem(
  scope: Runner,
  connectionId: string,
  devEui: string,
  problem: { level: string; code: string; text: string },
  at: Date,
): Promise<void> {
  await scope.run(PROBLEM, [connectionId, devEui, JSON.stringify(problem), at])
}

/** What a command for a device goes over. */
export interface DownlinkWay extends BoundDevice {
  connectionId: string
  devEui: string
}
const WAYS = sql<DownlinkWay & { num: number }>`select d.num, d.id as "deviceId", p.product_key as "productKey",
    d.device_no as "deviceNo", l.connection_id as "connectionId", l.dev_eui as "devEui", l.f_port as port
  from lora_devices l join devices d on d.id = l.device_id join products p on p.id = d.product_id where d.num = any ($1)`

/** The given devices that are behind a network server. */
export async function waysTo(scope: Runner, nums: readonly number[]): Promise<DownlinkWay[]> {
  return (await scope.run(WAYS, [nums])).rows
}

const QUEUED = sql`insert into lora_downlinks (queue_item_id, connection_id, tenant_id, dev_eui, command_id, confirmed)
  values ($1, $2, $3, $4, $5, $6) on conflict do nothing`
const ENDED = sql<{ commandId: string }>`delete from lora_downlinks where connection_id = $1 and queue_item_id = $2
  returning command_id as "commandId"`
const SENT = sql<{ commandId: string }>`delete from lora_downlinks where connection_id = $1 and queue_item_id = $2
  and not confirmed returning command_id as "commandId"`
const FORGET = sql`delete from lora_downlinks where created_at < $1`

export async function queued(
  scope: Runner,
  of: {
    queueItemId: string
    connectionId: string
    tenantId: string
    devEui: string
    commandId: string
    confirmed: boolean
  },
): Promise<void> {
  await scope.run(QUEUED, [of.queueItemId, of.connectionId, of.tenantId, of.devEui, of.commandId, of.confirmed])
}

/** The command behind an item of ChirpStack's queue that has ended. */
export async function ended(scope: Runner, connectionId: string, queueItemId: string): Promise<string | null> {
  return (await scope.run(ENDED, [connectionId, queueItemId])).rows[0]?.commandId ?? null
}

/** The command behind an item that a gateway has sent and that no device acknowledges. */
export async function sent(scope: Runner, connectionId: string, queueItemId: string): Promise<string | null> {
  return (await scope.run(SENT, [connectionId, queueItemId])).rows[0]?.commandId ?? null
}

export async function forgetDownlinks(scope: Runner, before: Date): Promise<void> {
  await scope.run(FORGET, [before])
}

export interface LoraDeviceRow {
  connectionId: string
  connectionName: string
  simulated: boolean
  devEui: string
  name: string
  deviceId: string | null
  deviceName: string | null
  applicationId: string
  profileName: string | null
  class: string
  devAddr: string | null
  lastSeenAt: Date | null
  joinedAt: Date | null
  gatewayId: string | null
  gatewayName: string | null
  rssi: number | null
  snr: number | null
  dr: number | null
  frequency: number | null
  fCnt: number | null
  fPort: number | null
  battery: number | null
  externalPower: boolean | null
  margin: number | null
  uplinks: number
  problem: { level: string; code: string; text: string } | null
  problemAt: Date | null
  location: { lat: number; lng: number; alt: number } | null
  locationSource: string | null
  locationAt: Date | null
}
export interface LoraDeviceFilter {
  q?: string
  connectionId?: string
  deviceId?: string
  bound?: string
}

export const LIST = listSql<LoraDeviceRow, LoraDeviceFilter, 'lastSeenAt' | 'devEui'>({
  columns: part`l.connection_id as "connectionId", c.name as "connectionName", c.simulated, l.dev_eui as "devEui", l.name,
    l.device_id as "deviceId", d.name as "deviceName", l.application_id as "applicationId", p.name as "profileName", l.class,
    l.dev_addr as "devAddr", l.last_seen_at as "lastSeenAt", l.joined_at as "joinedAt", l.gateway_id as "gatewayId",
    g.name as "gatewayName", l.rssi, l.snr, l.dr, l.frequency::float8 as frequency, l.f_cnt::float8 as "fCnt", l.f_port as "fPort", l.battery,
    l.external_power as "externalPower", l.margin, l.uplinks::float8 as uplinks, l.problem, l.problem_at as "problemAt",
    l.location, l.location_source as "locationSource", l.location_at as "locationAt"`,
  from: part`lora_devices l join lora_connections c on c.id = l.connection_id left join devices d on d.id = l.device_id
    left join lora_profiles p on p.connection_id = l.connection_id and p.remote_id = l.profile_remote_id
    left join lora_gateways g on g.connection_id = l.connection_id and g.gateway_id = l.gateway_id`,
  filters: {
    q: part`(l.name ilike $1 or l.dev_eui ilike $1 or d.name ilike $1)`,
    connectionId: part`l.connection_id = $1`,
    deviceId: part`l.device_id = $1`,
    bound: { yes: part`l.device_id is not null`, no: part`l.device_id is null` },
  },
  sorts: {
    lastSeenAt: { by: part`coalesce(l.last_seen_at, '-infinity')`, type: 'timestamptz' },
    devEui: { by: part`l.dev_eui`, type: 'text' },
  },
  // A DevEUI is one of a hundred million millions: two servers that know the same one are beside each other by their ids.
  id: { by: part`l.connection_id`, type: 'uuid' },
})
