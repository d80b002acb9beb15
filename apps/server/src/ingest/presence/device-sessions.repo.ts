import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'

/** One live connection as other processes and the next start see it. */
export interface SessionRow {
  device: number
  transport: string
  clientId: string
  address: string
  protocolVersion: string
  keepAliveSeconds: number
  subscriptions: { filter: string; qos: number }[]
  /** Epoch ms. */
  connectedAt: number
}

/** Which life of which node wrote a row. */
export interface SessionOwner {
  node: string
  epoch: number
}

const INSERT_DEVICE_SESSIONS =
  sql`insert into device_sessions (device, node, epoch, transport, client_id, address, protocol_version, keep_alive_seconds, subscriptions, connected_at)
  select r.device, $1, $2, r.transport, r.client_id, r.address, r.protocol_version, r.keep_alive_seconds, r.subscriptions, to_timestamp(r.connected_at / 1000.0)
  from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::jsonb[], $10::float8[])
    as r (device, transport, client_id, address, protocol_version, keep_alive_seconds, subscriptions, connected_at)
  on conflict (device) do update set node = excluded.node, epoch = excluded.epoch, transport = excluded.transport,
    client_id = excluded.client_id, address = excluded.address, protocol_version = excluded.protocol_version,
    keep_alive_seconds = excluded.keep_alive_seconds, subscriptions = excluded.subscriptions, connected_at = excluded.connected_at
  where device_sessions.epoch <= excluded.epoch`.named('sessions-write')

const DELETE_DEVICE_SESSIONS = sql`delete from device_sessions where device = any ($1::int[]) and epoch = $2`.named(
  'sessions-remove',
)

/** Writes sessions that opened or changed, and removes those that closed; an older life never overwrites a newer one. */
async function writeSessions(
  db: pg.Pool,
  owner: SessionOwner,
  opened: readonly SessionRow[],
  closed: readonly number[],
): Promise<void> {
  if (opened.length > 0) {
    await runOn(db, INSERT_DEVICE_SESSIONS, [
      owner.node,
      owner.epoch,
      opened.map(row => row.device),
      opened.map(row => row.transport),
      opened.map(row => row.clientId),
      opened.map(row => row.address),
      opened.map(row => row.protocolVersion),
      opened.map(row => row.keepAliveSeconds),
      opened.map(row => JSON.stringify(row.subscriptions)),
      opened.map(row => row.connectedAt),
    ])
  }
  if (closed.length > 0) {
    await runOn(db, DELETE_DEVICE_SESSIONS, [closed, owner.epoch])
  }
}

const SESSIONS_BEFORE = sql<{
  device: number
  transport: string
  address: string
}>`select device, transport, address from device_sessions where epoch < $1`

/** Sessions that an earlier life of the gateway left behind. */
async function sessionsBefore(
  db: pg.Pool,
  epoch: number,
): Promise<{ device: number; transport: string; address: string }[]> {
  const result = await runOn(db, SESSIONS_BEFORE, [epoch])
  return result.rows
}

const DEVICES_NOT_BACK = sql<{
  device: number
  transport: string | null
  address: string | null
}>`select device, max(transport) as transport, max(address) as address from (
    select device, transport, address from device_sessions where epoch < $1
    union all
    select device, null, null from device_presence where link = 'online'
      and not exists (select 1 from device_sessions s where s.device = device_presence.device)
  ) left_behind group by device`

/** Devices shown as online, or left behind by an earlier life, that have no session in this one. */
async function devicesNotBack(
  db: pg.Pool,
  epoch: number,
): Promise<{ device: number; transport: string | null; address: string | null }[]> {
  const result = await runOn(db, DEVICES_NOT_BACK, [epoch])
  return result.rows
}

const REMOVE_SESSIONS_BEFORE = sql`delete from device_sessions where epoch < $1 and device = any ($2::int[])`

async function removeSessionsBefore(db: pg.Pool, epoch: number, devices: readonly number[]): Promise<void> {
  await runOn(db, REMOVE_SESSIONS_BEFORE, [epoch, devices])
}

/** The queries of presence, bound to a pool and to one life of a node. */
export function sessionQueries(db: pg.Pool, owner: SessionOwner) {
  return {
    write: (opened: readonly SessionRow[], closed: readonly number[]) => writeSessions(db, owner, opened, closed),
    sessionsBefore: () => sessionsBefore(db, owner.epoch),
    devicesNotBack: () => devicesNotBack(db, owner.epoch),
    removeSessions: (devices: readonly number[]) => removeSessionsBefore(db, owner.epoch, devices),
  }
}
