import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { DeviceStatus, LoraEvent, Uplink } from './events.ts'

/** Where our device of a DevEUI is found by the device path. */
export interface BoundDevice {
  deviceId: string | null
  num: number | null
  productKey: string | null
  deviceNo: string | null
}

/** Ours is the device of this number whose product is one of LoRaWAN. */
const SEEN = sql<BoundDevice>`with ours as (
    select d.id, d.num, p.product_key, d.device_no from devices d join products p on p.id = d.product_id
    where d.tenant_id = $3 and lower(d.device_no) = $2 and p.link_type = 'lorawan' and d.lifecycle <> 'recycled'
    order by d.created_at limit 1
  ), kept as (
    insert into lora_devices (connection_id, dev_eui, tenant_id, device_id, name, application_id, profile_remote_id, class,
      dev_addr, last_seen_at)
    values ($1, $2, $3, (select id from ours), $4, $5, $6, $7, $8, $9)
    on conflict (connection_id, dev_eui) do update set device_id = excluded.device_id, name = excluded.name,
      application_id = excluded.application_id, profile_remote_id = excluded.profile_remote_id, class = excluded.class,
      dev_addr = coalesce(excluded.dev_addr, lora_devices.dev_addr), last_seen_at = excluded.last_seen_at
    returning 1
  )
  select o.id as "deviceId", o.num, o.product_key as "productKey", o.device_no as "deviceNo" from kept left join ours o on true`

/** A device said something, or ChirpStack of it. */
export async function seen(
  scope: Runner,
  connection: { id: string; tenantId: string },
  event: LoraEvent,
  at: Date,
): Promise<BoundDevice> {
  const { rows } = await scope.run(SEEN, [
    connection.id,
    event.devEui,
    connection.tenantId,
    event.name,
    event.applicationId,
    event.profileRemoteId,
    event.class,
    event.devAddr,
    at,
  ])
  return rows[0]!
}

const HEARD = sql`update lora_devices set gateway_id = $3, rssi = $4, snr = $5, dr = $6, frequency = $7, f_cnt = $8,
  f_port = coalesce($9, f_port), uplinks = uplinks + 1 where connection_id = $1 and dev_eui = $2`
const JOINED = sql`update lora_devices set joined_at = $3, f_cnt = 0 where connection_id = $1 and dev_eui = $2`
const STATUS = sql`update lora_devices set margin = $3, battery = $4, external_power = $5 where connection_id = $1 and dev_eui = $2`
const PROBLEM = sql`update lora_devices set problem = $3::jsonb, problem_at = $4 where connection_id = $1 and dev_eui = $2`

export async function heard(scope: Runner, connectionId: string, devEui: string, up: Uplink): Promise<void> {
  const { gatewayId, rssi, snr, dr, frequency, fCnt, port } = up
  await scope.run(HEARD, [connectionId, devEui, gatewayId || null, rssi, snr, dr, frequency, fCnt, port])
}

export async function joined(scope: Runner, connectionId: string, devEui: string, at: Date): Promise<void> {
  await scope.run(JOINED, [connectionId, devEui, at])
}

export async function noteStatus(scope: Runner, connectionId: string, devEui: string, of: DeviceStatus): Promise<void> {
  await scope.run(STATUS, [connectionId, devEui, of.margin, of.battery, of.externalPower])
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
  port: number | null
}
const WAYS = sql<DownlinkWay & { num: number }>`select d.num, d.id as "deviceId", p.product_key as "productKey",
    d.device_no as "deviceNo", l.connection_id as "connectionId", l.dev_eui as "devEui", l.f_port as port
  from lora_devices l join devices d on d.id = l.device_id join products p on p.id = d.product_id where d.num = any ($1)`

/** Those of these devices that are behind a network server. */
export async function waysTo(scope: Runner, nums: readonly number[]): Promise<DownlinkWay[]> {
  return (await scope.run(WAYS, [nums])).rows
}

const QUEUED = sql`insert into lora_downlinks (queue_item_id, connection_id, tenant_id, dev_eui, command_id)
  values ($1, $2, $3, $4, $5) on conflict do nothing`
const ENDED = sql<{ commandId: string }>`delete from lora_downlinks where connection_id = $1 and queue_item_id = $2
  returning command_id as "commandId"`
const FORGET = sql`delete from lora_downlinks where created_at < $1`

export async function queued(
  scope: Runner,
  of: { queueItemId: string; connectionId: string; tenantId: string; devEui: string; commandId: string },
): Promise<void> {
  await scope.run(QUEUED, [of.queueItemId, of.connectionId, of.tenantId, of.devEui, of.commandId])
}

/** The command behind an item of ChirpStack's queue that has ended. */
export async function ended(scope: Runner, connectionId: string, queueItemId: string): Promise<string | null> {
  return (await scope.run(ENDED, [connectionId, queueItemId])).rows[0]?.commandId ?? null
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
    l.external_power as "externalPower", l.margin, l.uplinks::float8 as uplinks, l.problem, l.problem_at as "problemAt"`,
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
