import type pg from 'pg'
import type { ChangedCommand } from '../../lib/ipc.ts'
import { GRACE_MS } from '../presence/recovery.ts'
import type { UplinkChannel } from '../uplink.ts'

/** A command taken from the queue, about to be sent. */
export interface ClaimedCommand {
  id: string
  device: number
  kind: 'property_set' | 'service' | 'raw'
  identifier: string | null
  params: Record<string, unknown>
}

/** How many commands a device may be given now. */
export interface DeviceRoom {
  device: number
  room: number
}

/**
 * Takes each device's oldest queued commands and marks them sent, so that they can no longer be cancelled, before a
 * byte leaves. Returned in the order in which they must be sent.
 */
async function claimCommands(db: pg.Pool, devices: readonly DeviceRoom[]): Promise<ClaimedCommand[]> {
  const result = await db.query<ClaimedCommand & { position: number }>({
    name: 'commands-claim',
    text: `with picked as (
        select c.id from unnest($1::int[], $2::int[]) as d (device, room)
        cross join lateral (
          select id from commands where device = d.device and state = 'queued' and expires_at > now()
          order by position limit d.room for update
        ) c
      )
      update commands c set state = 'sent', sent_at = now(), attempt = c.attempt + 1,
        reply_due_at = now() + make_interval(secs => c.timeout_ms / 1000.0)
      from picked where c.id = picked.id and c.state = 'queued'
      returning c.id, c.device, c.kind, c.identifier, c.params, c.position`,
    values: [devices.map(d => d.device), devices.map(d => d.room)],
  })
  return result.rows.sort((a, b) => a.position - b.position)
}

/** Puts commands back that could not be handed to the device after all. */
async function unclaimCommands(db: pg.Pool, ids: readonly string[]): Promise<void> {
  await db.query({
    name: 'commands-unclaim',
    text: `update commands set state = 'queued', sent_at = null, reply_due_at = null, attempt = attempt - 1
      where id = any ($1::uuid[]) and state = 'sent'`,
    values: [ids],
  })
}

/** The devices confirmed these. A reply that was quicker is not undone. */
async function markDelivered(db: pg.Pool, ids: readonly string[]): Promise<ChangedCommand[]> {
  return changed(db, {
    name: 'commands-delivered',
    text: `update commands set delivered_at = now(), state = case when state = 'sent' then 'delivered' else state end
      where id = any ($1::uuid[]) and delivered_at is null and sent_at is not null returning device, id`,
    values: [ids],
  })
}

/** Ends queued commands whose time is over; at most `limit`. */
async function expireCommands(db: pg.Pool, limit: number): Promise<ChangedCommand[]> {
  return changed(db, {
    name: 'commands-expire',
    text: `update commands set state = 'expired', finished_at = now(), error_code = 'expired'
      where id in (select id from commands where state = 'queued' and expires_at <= now() order by expires_at limit $1 for update skip locked)
      returning device, id`,
    values: [limit],
  })
}

/** Ends commands that were sent and not answered in time; at most `limit`. */
async function timeOutCommands(db: pg.Pool, limit: number): Promise<ChangedCommand[]> {
  return changed(db, {
    name: 'commands-time-out',
    text: `update commands set state = 'timed_out', finished_at = now(), error_code = 'no_reply'
      where id in (select id from commands where state in ('sent', 'delivered') and reply_due_at <= now() order by reply_due_at limit $1 for update skip locked)
      returning device, id`,
    values: [limit],
  })
}

/** Devices with commands made since `afterId` (UUIDv7: ordered by time) that are still queued. Read from the primary key. */
async function recentlyQueued(db: pg.Pool, afterId: string): Promise<number[]> {
  const result = await db.query<{ device: number }>({
    name: 'commands-recent',
    text: `select distinct device from commands where id > $1 and state = 'queued'`,
    values: [afterId],
  })
  return result.rows.map(row => row.device)
}

/**
 * After a start: what an earlier life of the gateway had marked as sent. What the MQTT layer kept will be delivered by
 * it when the device is back, and gets its time again. What belongs to a session that outlives connections at QoS 1 or 2
 * and was not kept never left this machine: back into the queue. The rest may have left or not, and is given up after
 * the grace time ({@link abandonSent}).
 */
async function recoverSent(db: pg.Pool, graceSeconds: number): Promise<number[]> {
  await db.query(
    `update commands c set reply_due_at = greatest(c.reply_due_at, now() + make_interval(secs => $1 + c.timeout_ms / 1000.0))
     where c.state = 'sent' and exists (select 1 from mqtt_outbound o where o.command_id = c.id)`,
    [graceSeconds],
  )
  const result = await db.query<{ device: number }>(
    `update commands c set state = 'queued', sent_at = null, reply_due_at = null
     from mqtt_sessions s
     where c.state = 'sent' and s.device = c.device and s.expiry_seconds > 0 and (s.expires_at is null or s.expires_at > now())
       and exists (select 1 from jsonb_array_elements(s.subscriptions) as sub where (sub ->> 'qos')::int > 0)
       and not exists (select 1 from mqtt_outbound o where o.command_id = c.id)
     returning c.device`,
  )
  return result.rows.map(row => row.device)
}

/** Ends what was sent before `startedAt` (epoch ms) to the devices given, and is neither delivered nor kept by the MQTT layer. */
async function abandonSent(db: pg.Pool, devices: readonly number[], startedAt: number): Promise<ChangedCommand[]> {
  return changed(db, {
    text: `update commands c set state = 'timed_out', finished_at = now(), error_code = 'connection_lost'
      where c.state = 'sent' and c.device = any ($1::int[]) and c.sent_at < to_timestamp($2 / 1000.0)
        and not exists (select 1 from mqtt_outbound o where o.command_id = c.id)
      returning c.device, c.id`,
    values: [devices, startedAt],
  })
}

/** Which kind of reply a command takes; null when the device has no such command, or it never was sent. */
async function replyChannel(db: pg.Pool, device: number, id: string): Promise<UplinkChannel | null> {
  const result = await db.query<{ kind: string; identifier: string | null }>({
    name: 'commands-reply-channel',
    text: 'select kind, identifier from commands where id = $1 and device = $2 and sent_at is not null',
    values: [id, device],
  })
  const row = result.rows[0]
  if (!row) return null
  return row.kind === 'service'
    ? { kind: 'service_reply', identifier: row.identifier ?? '' }
    : { kind: 'property_set_reply' }
}

/** The commands table as the gateway uses it, bound to a pool. */
export function commandQueue(db: pg.Pool) {
  const startedAt = Date.now()
  return {
    claim: (devices: readonly DeviceRoom[]) => claimCommands(db, devices),
    unclaim: (ids: readonly string[]) => unclaimCommands(db, ids),
    markDelivered: (ids: readonly string[]) => markDelivered(db, ids),
    expire: (limit: number) => expireCommands(db, limit),
    timeOut: (limit: number) => timeOutCommands(db, limit),
    recentlyQueued: (afterId: string) => recentlyQueued(db, afterId),
    recoverSent: () => recoverSent(db, GRACE_MS / 1_000),
    abandonSent: (devices: readonly number[]) => abandonSent(db, devices, startedAt),
    replyChannel: (device: number, id: string) => replyChannel(db, device, id),
  }
}

async function changed(db: pg.Pool, query: pg.QueryConfig): Promise<ChangedCommand[]> {
  return (await db.query<ChangedCommand>(query)).rows
}
