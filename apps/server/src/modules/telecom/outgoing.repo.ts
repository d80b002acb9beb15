import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface OutgoingRow {
  commandId: string
  tenantId: string
  deviceId: string
  keyId: string
  platformNo: string | null
  state: 'sending' | 'waiting' | 'kept'
  settles: boolean
  tries: number
  expiresAt: Date
}

const COLUMNS = part`o.command_id as "commandId", o.tenant_id as "tenantId", o.device_id as "deviceId", o.key_id as "keyId",
  o.platform_no as "platformNo", o.state, o.settles, o.tries, o.expires_at as "expiresAt"`

// Commands of devices that are told through a platform, the oldest first; firmware does not fit through one.
const QUEUED = sql<{ id: string; keyId: string }>`select c.id, k.id as "keyId" from commands c
  join telecom_devices t on t.device_id = c.device_id join telecom_keys k on k.id = t.key_id
  where c.state = 'queued' and c.expires_at > now() and c.kind <> 'firmware' and t.mirror = 'mirrored' and k.state <> 'disabled'
    and not exists (select from telecom_commands o where o.command_id = c.id and o.due_at > $1)
  order by c.position limit $2`

export async function queued(scope: Runner, now: Date, limit: number): Promise<{ id: string; keyId: string }[]> {
  return (await scope.run(QUEUED, [now, limit])).rows
}

const BEGIN = sql`insert into telecom_commands (command_id, tenant_id, device_id, key_id, due_at, expires_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (command_id) do update set state = 'sending', key_id = excluded.key_id, due_at = excluded.due_at`
const TAKE = sql<OutgoingRow>`update telecom_commands o set due_at = $3 from (
    select command_id from telecom_commands where due_at <= $1 and state <> 'waiting' order by due_at limit $2 for update skip locked) due
  where o.command_id = due.command_id returning ${COLUMNS}`
const OF_PLATFORM = sql<OutgoingRow>`select ${COLUMNS} from telecom_commands o
  where o.key_id = $1 and o.platform_no = $2 and o.device_id = $3`
const SENDING = sql<{
  one: number
}>`select 1 as one from telecom_commands where device_id = $1 and state = 'sending' limit 1`
const KEEP = sql`update telecom_commands set state = 'kept', platform_no = $2, settles = $3, tries = 0, due_at = $4 where command_id = $1`
const LATER = sql`update telecom_commands set state = $2, tries = tries + 1, due_at = $3 where command_id = $1`
const SOON = sql`update telecom_commands set due_at = $2 where device_id = $1 and state = 'waiting'`
const END = sql`delete from telecom_commands where command_id = $1`
const FORGET = sql`delete from telecom_commands where expires_at < $1`

export async function begin(
  scope: Runner,
  command: { id: string; tenantId: string; deviceId: string; expiresAt: Date },
  keyId: string,
  at: Date,
): Promise<void> {
  await scope.run(BEGIN, [command.id, command.tenantId, command.deviceId, keyId, at, command.expiresAt])
}

/** Commands that are due, each for nobody else until the lease ends. */
export async function take(scope: Runner, now: Date, limit: number, lease: Date): Promise<OutgoingRow[]> {
  return (await scope.run(TAKE, [now, limit, lease])).rows
}

export async function ofPlatform(
  scope: Runner,
  keyId: string,
  platformNo: string,
  deviceId: string,
): Promise<OutgoingRow | undefined> {
  return (await scope.run(OF_PLATFORM, [keyId, platformNo, deviceId])).rows[0]
}

/** Whether a command of the device is just now being handed over: its number is not known yet. */
export async function isSending(scope: Runner, deviceId: string): Promise<boolean> {
  return (await scope.run(SENDING, [deviceId])).rows.length > 0
}

/** The platform has it. */
export async function keep(
  scope: Runner,
  commandId: string,
  platformNo: string,
  settles: boolean,
  due: Date,
): Promise<void> {
  await scope.run(KEEP, [commandId, platformNo, settles, due])
}

export async function later(scope: Runner, commandId: string, state: OutgoingRow['state'], due: Date): Promise<void> {
  await scope.run(LATER, [commandId, state, due])
}

/** The device is there: what waits for that need not wait any longer. */
export async function soon(scope: Runner, deviceId: string, at: Date): Promise<void> {
  await scope.run(SOON, [deviceId, at])
}

export async function end(scope: Runner, commandId: string): Promise<void> {
  await scope.run(END, [commandId])
}

export async function forget(scope: Runner, before: Date): Promise<void> {
  await scope.run(FORGET, [before])
}

const COMMAND = sql<{
  kind: 'property_set' | 'service' | 'raw' | 'firmware'
  identifier: string | null
  params: Record<string, unknown>
  confirm: 'auto' | 'reply' | 'read_back' | 'none'
  expects: unknown
}>`select kind, identifier, params, confirm, expects from commands where id = $1`

/** What the device is to be told. */
export async function command(scope: Runner, id: string) {
  return (await scope.run(COMMAND, [id])).rows[0]
}
