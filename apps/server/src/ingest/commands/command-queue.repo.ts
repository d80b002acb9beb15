import type { CommandCondition, ReplyPattern } from '@thingwright/contracts/command-schemas'
import type { LoraWay } from '@thingwright/contracts/commands.contract'
import type pg from 'pg'
import type { ChangedCommand } from '../../lib/news.ts'
import { part, runOn, sql } from '../../lib/sql/statement.ts'
import { GRACE_MS } from '../presence/recovery.ts'
import type { UplinkChannel } from '../uplink.ts'

/** A command taken from the queue, about to be sent. */
export interface ClaimedCommand {
  id: string
  device: number
  kind: 'property_set' | 'service' | 'raw' | 'firmware'
  identifier: string | null
  params: Record<string, unknown>
  timeoutMs: number
  /** What ends it; `none`: that it left. */
  confirm: 'auto' | 'reply' | 'read_back' | 'none'
  expects: ReplyPattern | null
  interlock: CommandCondition[] | null
  /** Of a LoRaWAN device: what was chosen of its way. */
  lora: LoraWay | null
}

/** What is known of a command just before its bytes leave. */
export interface Leaving {
  id: string
  /** Hex; empty: it leaves as JSON. */
  frames: readonly string[]
  /** Nothing can answer it. */
  settles: boolean
}

/** How a command ended without an answer of its device. */
export interface Ending {
  id: string
  state: 'succeeded' | 'failed' | 'expired'
  code?: string
  message?: string
}

/** How many commands a device may be given now. */
export interface DeviceRoom {
  device: number
  room: number
}

/**
 * Whoever changes several commands in one statement takes them in the order of their ids, here and in the modules: two
 * that meet wait for each other in one direction only.
 */
const HELD = part`with held as (select id from commands where id = any ($1::uuid[]) order by id for update)`

const CLAIM_COMMANDS = sql<ClaimedCommand & { position: number }>`with picked as (
    select c.id from unnest($1::int[], $2::int[]) as d (device, room)
    cross join lateral (
      select id from commands where device = d.device and state = 'queued' and expires_at > now()
      order by position limit d.room
    ) c
  ), held as (select id from commands where id in (select id from picked) and state = 'queued' order by id for update)
  update commands c set state = 'sent', sent_at = now(), attempt = c.attempt + 1,
    reply_due_at = now() + make_interval(secs => c.timeout_ms / 1000.0)
  from held where c.id = held.id and c.state = 'queued'
  returning c.id, c.device, c.kind, c.identifier, c.params, c.position, c.timeout_ms as "timeoutMs", c.confirm,
    c.expects, c.interlock, c.lora`.named('commands-claim')

/**
 * Takes each device's oldest queued commands and marks them sent, so that they can no longer be cancelled, before a
 * byte leaves. Returned in the order in which they must be sent.
 */
async function claimCommands(db: pg.Pool, devices: readonly DeviceRoom[]): Promise<ClaimedCommand[]> {
  const result = await runOn(db, CLAIM_COMMANDS, [devices.map(d => d.device), devices.map(d => d.room)])
  return result.rows.sort((a, b) => a.position - b.position)
}

const UNCLAIM_COMMANDS =
  sql`${HELD} update commands set state = 'queued', sent_at = null, reply_due_at = null, attempt = attempt - 1
  where id in (select id from held) and state = 'sent'`.named('commands-unclaim')

/** Puts commands back that could not be handed to the device after all. */
async function unclaimCommands(db: pg.Pool, ids: readonly string[]): Promise<void> {
  await runOn(db, UNCLAIM_COMMANDS, [ids])
}

const MARK_LEAVING =
  sql`${HELD} update commands c set frames = case when l.frames = '' then null else string_to_array(l.frames, ' ') end,
    confirm = case when l.settles then 'none' else c.confirm end
  from unnest($1::uuid[], $2::text[], $3::bool[]) as l (id, frames, settles), held
  where c.id = held.id and c.id = l.id and c.state = 'sent'`.named('commands-leaving')

/** Notes the bytes of commands and that nothing will answer them, before they leave. */
async function markLeaving(db: pg.Pool, leaving: readonly Leaving[]): Promise<void> {
  await runOn(db, MARK_LEAVING, [
    leaving.map(each => each.id),
    leaving.map(each => each.frames.join(' ')),
    leaving.map(each => each.settles),
  ])
}

const LONGEST_MESSAGE = 500

const END_COMMANDS =
  sql<ChangedCommand>`${HELD} update commands c set state = e.state, finished_at = now(), reply_due_at = null, error_code = e.code, error_message = e.message
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as e (id, state, code, message), held
      where c.id = held.id and c.id = e.id and c.state = 'sent' returning c.device, c.id`.named('commands-end')

/** Ends commands that were claimed: they left and nothing answers, they cannot leave, or what carried them dropped them. An answer that was quicker counts. */
async function endCommands(db: pg.Pool, endings: readonly Ending[]): Promise<ChangedCommand[]> {
  return (
    await runOn(db, END_COMMANDS, [
      endings.map(each => each.id),
      endings.map(each => each.state),
      endings.map(each => each.code ?? null),
      endings.map(each => each.message?.slice(0, LONGEST_MESSAGE) ?? null),
    ])
  ).rows
}

const OPEN_EXPECTATIONS = sql<{
  device: number
  id: string
  expects: ReplyPattern
  leftMs: number
}>`select device, id, expects, extract(epoch from reply_due_at - now())::float8 * 1000 as "leftMs" from commands
  where state in ('sent', 'delivered') and expects is not null and reply_due_at > now() order by position limit 50000`

/** Answers that an earlier life of the gateway still waited for. */
async function openExpectations(
  db: pg.Pool,
): Promise<{ device: number; id: string; expects: ReplyPattern; leftMs: number }[]> {
  const { rows } = await runOn(db, OPEN_EXPECTATIONS)
  return rows
}

const MARK_DELIVERED = sql<ChangedCommand>`${HELD} update commands set delivered_at = now(),
        state = case when state <> 'sent' then state when confirm = 'none' then 'succeeded' else 'delivered' end,
        finished_at = case when state = 'sent' and confirm = 'none' then now() else finished_at end
      where id in (select id from held) and delivered_at is null and sent_at is not null returning device, id`.named(
  'commands-delivered',
)

/** The devices confirmed these. A reply that was quicker is not undone. */
async function markDelivered(db: pg.Pool, ids: readonly string[]): Promise<ChangedCommand[]> {
  return (await runOn(db, MARK_DELIVERED, [ids])).rows
}

const EXPIRE_COMMANDS =
  sql<ChangedCommand>`update commands set state = 'expired', finished_at = now(), error_code = 'expired'
      where id in (select id from commands where state = 'queued' and expires_at <= now() order by expires_at limit $1 for update skip locked)
      returning device, id`.named('commands-expire')

/** Ends queued commands whose time is over; at most `limit`. */
async function expireCommands(db: pg.Pool, limit: number): Promise<ChangedCommand[]> {
  return (await runOn(db, EXPIRE_COMMANDS, [limit])).rows
}

// Once more, while tries are left; not what the MQTT layer keeps, because that one brings it by itself.
const TIME_OUT_COMMANDS = sql<ChangedCommand & { again?: boolean }>`update commands c set
        state = case when d.again then 'queued' else 'timed_out' end,
        finished_at = case when not d.again then now() end,
        sent_at = case when not d.again then c.sent_at end,
        delivered_at = case when not d.again then c.delivered_at end,
        reply_due_at = null,
        error_code = case when not d.again then case when c.confirm = 'read_back' then 'not_read_back' else 'no_reply' end end
      from (select id, attempt <= retries and expires_at > now()
          and not exists (select 1 from mqtt_outbound o where o.command_id = id) as again
        from commands where state in ('sent', 'delivered') and reply_due_at <= now()
        order by reply_due_at limit $1 for update skip locked) d
      where c.id = d.id returning c.device, c.id, d.again`.named('commands-time-out')

/** Ends commands that were sent and not answered in time, or puts them back for another try (`again`); at most `limit`. */
async function timeOutCommands(db: pg.Pool, limit: number): Promise<(ChangedCommand & { again?: boolean })[]> {
  return (await runOn(db, TIME_OUT_COMMANDS, [limit])).rows
}

const RECENTLY_QUEUED = sql<{
  device: number
}>`select distinct device from commands where id > $1 and state = 'queued'`.named('commands-recent')

/** Devices with commands made since `afterId` (UUIDv7: ordered by time) that are still queued. Read from the primary key. */
async function recentlyQueued(db: pg.Pool, afterId: string): Promise<number[]> {
  const result = await runOn(db, RECENTLY_QUEUED, [afterId])
  return result.rows.map(row => row.device)
}

const UPDATE_COMMANDS = sql`update commands c set reply_due_at = greatest(c.reply_due_at, now() + make_interval(secs => $1 + c.timeout_ms / 1000.0))
  where c.state = 'sent' and exists (select 1 from mqtt_outbound o where o.command_id = c.id)`

const RECOVER_SENT_UPDATE_COMMANDS = sql<{
  device: number
}>`update commands c set state = 'queued', sent_at = null, reply_due_at = null
  from mqtt_sessions s
  where c.state = 'sent' and s.device = c.device and s.expiry_seconds > 0 and (s.expires_at is null or s.expires_at > now())
    and exists (select 1 from jsonb_array_elements(s.subscriptions) as sub where (sub ->> 'qos')::int > 0)
    and not exists (select 1 from mqtt_outbound o where o.command_id = c.id)
  returning c.device`

/**
 * After a start: what an earlier life of the gateway had marked as sent. What the MQTT layer kept will be delivered by
 * it when the device is back, and gets its time again. What belongs to a session that outlives connections at QoS 1 or 2
 * and was not kept never left this machine: back into the queue. The rest may have left or not, and is given up after
 * the grace time ({@link abandonSent}).
 */
async function recoverSent(db: pg.Pool, graceSeconds: number): Promise<number[]> {
  await runOn(db, UPDATE_COMMANDS, [graceSeconds])
  const result = await runOn(db, RECOVER_SENT_UPDATE_COMMANDS)
  return result.rows.map(row => row.device)
}

const ABANDON_SENT = sql<ChangedCommand>`with held as (select id from commands c
        where c.state = 'sent' and c.device = any ($1::int[]) and c.sent_at < to_timestamp($2 / 1000.0)
          and not exists (select 1 from mqtt_outbound o where o.command_id = c.id)
        order by id for update)
      update commands c set state = 'timed_out', finished_at = now(), error_code = 'connection_lost'
      from held where c.id = held.id and c.state = 'sent' returning c.device, c.id`

/** Ends what was sent before `startedAt` (epoch ms) to the devices given, and is neither delivered nor kept by the MQTT layer. */
async function abandonSent(db: pg.Pool, devices: readonly number[], startedAt: number): Promise<ChangedCommand[]> {
  return (await runOn(db, ABANDON_SENT, [devices, startedAt])).rows
}

const REPLY_CHANNEL = sql<{
  kind: string
  identifier: string | null
}>`select kind, identifier from commands where id = $1 and device = $2 and sent_at is not null`.named(
  'commands-reply-channel',
)

/** Which kind of reply a command takes; null when the device has no such command, or it never was sent. */
async function replyChannel(db: pg.Pool, device: number, id: string): Promise<UplinkChannel | null> {
  const result = await runOn(db, REPLY_CHANNEL, [id, device])
  const row = result.rows[0]
  if (!row) return null
  return row.kind === 'service'
    ? { kind: 'service_reply', identifier: row.identifier ?? '' }
    : { kind: 'property_set_reply' }
}

const OPEN_COMMANDS = sql<{
  id: string
  kind: string
  identifier: string | null
}>`select id, kind, identifier from commands where device = $1 and state in ('sent', 'delivered')
  order by position desc limit 100`.named('commands-open')

/** Commands of a device that were sent and not answered, the newest first. */
async function openCommands(
  db: pg.Pool,
  device: number,
): Promise<{ id: string; kind: string; identifier: string | null }[]> {
  const result = await runOn(db, OPEN_COMMANDS, [device])
  return result.rows
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
    markLeaving: (leaving: readonly Leaving[]) => markLeaving(db, leaving),
    end: (endings: readonly Ending[]) => endCommands(db, endings),
    openExpectations: () => openExpectations(db),
    openCommands: (device: number) => openCommands(db, device),
  }
}
