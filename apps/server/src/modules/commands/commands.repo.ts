import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { ModelOverlay } from '@thingwright/thing-model'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { filteredSql } from '../../lib/sql/filters.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'

export type CommandState = CommandView['state']
export type CommandSource = CommandView['source']

export interface CommandRow {
  id: string
  position: number
  tenantId: string
  deviceId: string
  device: number
  kind: CommandView['kind']
  identifier: string | null
  params: Record<string, unknown>
  state: CommandState
  source: CommandSource
  operatorName: string
  timeoutMs: number
  attempt: number
  expiresAt: Date
  createdAt: Date
  sentAt: Date | null
  deliveredAt: Date | null
  finishedAt: Date | null
  reply: unknown
  errorCode: string | null
  errorMessage: string | null
  confirm: CommandView['confirm']
  retries: number
  frames: string[] | null
  readBack: Record<string, unknown> | null
  template: CommandView['template']
  batchId: string | null
  lora: CommandView['lora']
}

export interface NewCommand {
  id: string
  deviceId: string
  device: number
  kind: CommandView['kind']
  identifier: string | null
  params: Record<string, unknown>
  source: CommandSource
  operatorId: string | null
  operatorName: string
  timeoutMs: number
  expiresAt: Date
  confirm: CommandView['confirm']
  readBack: object | null
  expects: object | null
  interlock: readonly object[]
  retries: number
  template: CommandView['template']
  batchId: string | null
  /** Of a LoRaWAN device: what was chosen of its way. */
  lora: CommandView['lora']
  scheduleId: string | null
  /** Parameters that hold a password: sent as they are, shown masked. */
  secretParams: readonly string[]
}

const COLUMNS = part`id, position, tenant_id as "tenantId", device_id as "deviceId", device, kind, identifier,
  masked_params(params, secret_params) as params, state, source, operator_name as "operatorName", timeout_ms as "timeoutMs", attempt, expires_at as "expiresAt",
  created_at as "createdAt", sent_at as "sentAt", delivered_at as "deliveredAt", finished_at as "finishedAt", reply,
  error_code as "errorCode", error_message as "errorMessage", confirm, retries,
  case when secret_params = '{}' then frames end as frames, read_back as "readBack",
  case when secret_params = '{}' or template is null then template else jsonb_set(template, '{params}', '{}') end as template,
  batch_id as "batchId", lora`

/** First key of the advisory lock under which a device's queue is changed by one request at a time. */
const QUEUE_LOCK = 7310

const LOCK_QUEUE = sql`select pg_advisory_xact_lock($1, $2)`

/** Makes requests that add commands to the same device wait for each other: order, bound and collapse stay right. */
export async function lockQueue(scope: TenantScope, device: number): Promise<void> {
  await scope.run(LOCK_QUEUE, [QUEUE_LOCK, device])
}

const LOCK_QUEUES = sql`select pg_advisory_xact_lock($1, d.num) from (select num from unnest($2::int[]) as u (num) order by num) d`

/** The same for many devices, always in one order. */
export async function lockQueues(scope: TenantScope, devices: readonly number[]): Promise<void> {
  await scope.run(LOCK_QUEUES, [QUEUE_LOCK, devices])
}

const PLAIN = sql<{
  num: number
}>`select h.num from (select d.num, d.overrides from devices d where d.num = any ($1::int[])
    and d.lifecycle in ('inactive', 'active') order by d.num for share) h where not (h.overrides ? 'model')`

/** The given devices that take commands and have the model of their product, locked until the transaction ends. */
export async function plainOf(scope: TenantScope, devices: readonly number[]): Promise<Set<number>> {
  return new Set((await scope.run(PLAIN, [devices])).rows.map(({ num }) => num))
}

const FULL = sql<{ device: number }>`select device from commands where device = any ($1::int[]) and state = 'queued'
  group by device having count(*) >= $2`

/** Devices whose queue holds at least so many commands. */
export async function fullOf(scope: TenantScope, devices: readonly number[], limit: number): Promise<Set<number>> {
  return new Set((await scope.run(FULL, [devices, limit])).rows.map(({ device }) => device))
}

const HOLD_LIFECYCLE = sql<{
  lifecycle: AuthorisedDevice['lifecycle']
}>`select lifecycle from devices where num = $1 for share`

/** What the device is now; it stays so until the transaction ends. Null: not the caller's, or gone. */
export async function holdLifecycle(scope: TenantScope, device: number): Promise<AuthorisedDevice['lifecycle'] | null> {
  const { rows } = await scope.run(HOLD_LIFECYCLE, [device])
  return rows[0]?.lifecycle ?? null
}

const PUBLISHED_MODEL = sql<{
  version: number
  model: unknown
}>`select model_version as version, case when model_version = $2 then null else published_model end as model
  from products where id = $1 and status = 'published' and published_model is not null`

/** The thing model devices of a product are checked against; `model` only when it is newer than the version held. */
export async function publishedModel(
  scope: TenantScope,
  productId: string,
  heldVersion: number,
): Promise<{ version: number; model: unknown } | null> {
  const { rows } = await scope.run(PUBLISHED_MODEL, [productId, heldVersion])
  return rows[0] ?? null
}

const OWN_MODEL = sql<{
  overlay: ModelOverlay
}>`select overrides -> 'model' as overlay from devices where id = $1 and overrides ? 'model'`

/** What a device has otherwise than its product's model; null: nothing. */
export async function ownModel(scope: TenantScope, deviceId: string): Promise<ModelOverlay | null> {
  const { rows } = await scope.run(OWN_MODEL, [deviceId])
  return rows[0]?.overlay ?? null
}

const COUNT_QUEUED = sql<{
  count: number
}>`select count(*) as count from commands where device = $1 and state = 'queued'`

export async function countQueued(scope: TenantScope, device: number): Promise<number> {
  const { rows } = await scope.run(COUNT_QUEUED, [device])
  return rows[0]?.count ?? 0
}

const SUPERSEDED = part`update commands set
    params = case when params - $2::text[] = '{}'::jsonb then params else params - $2::text[] end,
    state = case when params - $2::text[] = '{}'::jsonb then 'cancelled' else state end,
    finished_at = case when params - $2::text[] = '{}'::jsonb then now() end,
    error_code = case when params - $2::text[] = '{}'::jsonb then 'superseded' end,
    read_back = read_back - $2::text[],
    confirm = case when confirm = 'read_back' and read_back - $2::text[] = '{}'::jsonb then 'auto' else confirm end
  where state = 'queued' and kind = 'property_set' and params ?| $2::text[]`
const SUPERSEDE = sql<{ id: string }>`${SUPERSEDED} and device = $1 returning id`
const SUPERSEDE_MANY = sql<{
  id: string
  device: number
}>`${SUPERSEDED} and device = any ($1::int[]) returning id, device`

/**
 * Only the latest wish per property waits in a queue: takes these properties out of older queued property sets; one
 * that has nothing left is cancelled and keeps its parameters for the history.
 */
export async function supersede(scope: TenantScope, device: number, identifiers: readonly string[]): Promise<string[]> {
  const { rows } = await scope.run(SUPERSEDE, [device, identifiers])
  return rows.map(row => row.id)
}

/** The same in the queues of many devices. */
export async function supersedeMany(scope: TenantScope, devices: readonly number[], identifiers: readonly string[]) {
  return (await scope.run(SUPERSEDE_MANY, [devices, identifiers])).rows
}

const WOULD_SUPERSEDE = sql`select 1 from commands where device = $1 and state = 'queued' and kind = 'property_set'
  and params - $2::text[] = '{}'::jsonb limit 1`

/** Whether a newer wish would leave nothing of a queued property set. */
export async function wouldSupersede(
  scope: TenantScope,
  device: number,
  identifiers: readonly string[],
): Promise<boolean> {
  const { rowCount } = await scope.run(WOULD_SUPERSEDE, [device, identifiers])
  return rowCount === 1
}

const SUB_ADDRESS_OF = sql<{ address: string | null }>`select sub_address as address from devices where num = $1`

/** The device's address on its bus; null: none. */
export async function subAddressOf(scope: TenantScope, device: number): Promise<string | null> {
  const { rows } = await scope.run(SUB_ADDRESS_OF, [device])
  return rows[0]?.address ?? null
}

const NEW = part`id, tenant_id, device_id, device, kind, identifier, params, source, operator_id, operator_name, timeout_ms,
  expires_at, confirm, read_back, expects, interlock, retries, template, batch_id, schedule_id, secret_params, lora`

export async function insertCommand(scope: TenantScope, command: NewCommand): Promise<CommandRow> {
  return (await insertCommands(scope, [command]))[0]!
}

const INSERT_COMMANDS = sql<CommandRow>`insert into commands (${NEW})
  select id, $2, "deviceId", device, kind, identifier, params, source, "operatorId", "operatorName", "timeoutMs",
    "expiresAt", confirm, "readBack", expects, interlock, retries, template, "batchId", "scheduleId",
    "secretParams", lora
  from jsonb_to_recordset($1::jsonb) as r (id uuid, "deviceId" uuid, device int, kind text, identifier text, params jsonb,
    source text, "operatorId" uuid, "operatorName" text, "timeoutMs" int, "expiresAt" timestamptz, confirm text,
    "readBack" jsonb, expects jsonb, interlock jsonb, retries int, template jsonb, "batchId" uuid, "scheduleId" uuid, "secretParams" text[], lora jsonb)
  returning ${COLUMNS}`

/** Many at once, in their order. */
export async function insertCommands(scope: TenantScope, commands: readonly NewCommand[]): Promise<CommandRow[]> {
  const rows = commands.map(({ interlock, ...command }) => ({
    ...command,
    interlock: interlock.length === 0 ? null : interlock,
  }))
  const { rows: inserted } = await scope.run(INSERT_COMMANDS, [JSON.stringify(rows), scope.tenantId])
  return inserted
}

const MERGED = part`on conflict (device) do update set desired = shadow_desired.desired || excluded.desired,
    version = shadow_desired.version + 1, updated_at = now()`
const MERGE_DESIRED = sql`insert into shadow_desired (device, tenant_id, desired) values ($1, $2, $3) ${MERGED}`
const MERGE_MANY = sql`insert into shadow_desired (device, tenant_id, desired)
  select num, $2, $3 from unnest($1::int[]) as u (num) order by num ${MERGED}`

/** Adds the same wishes to the wanted state of many devices. */
export async function mergeDesiredOfMany(
  scope: TenantScope,
  devices: readonly number[],
  desired: Record<string, unknown>,
): Promise<void> {
  await scope.run(MERGE_MANY, [devices, scope.tenantId, JSON.stringify(desired)])
}

/** Adds wishes to the device's wanted state. */
export async function mergeDesired(
  scope: TenantScope,
  device: number,
  desired: Record<string, unknown>,
): Promise<void> {
  await scope.run(MERGE_DESIRED, [device, scope.tenantId, JSON.stringify(desired)])
}

interface CommandFilter {
  state?: CommandState
  kind?: CommandView['kind']
  source?: CommandSource
  below?: number
}

const LIST = filteredSql<CommandRow, CommandFilter>(
  {
    filters: {
      state: part`state = $1`,
      kind: part`kind = $1`,
      source: part`source = $1`,
      below: part`position < $1`,
    },
    given: 2,
  },
  where => part`select ${COLUMNS} from commands where device = $1 and ${where} order by position desc limit $2`,
)

/** A device's commands, newest first, from below a position. */
export async function listCommands(
  scope: TenantScope,
  device: number,
  { limit, ...filter }: CommandFilter & { limit: number },
): Promise<CommandRow[]> {
  return (await scope.run(...LIST.of(filter, device, limit))).rows
}

const FIND_COMMAND = sql<CommandRow>`select ${COLUMNS} from commands where id = $1 and device = $2`

export async function findCommand(scope: TenantScope, device: number, id: string): Promise<CommandRow | null> {
  const { rows } = await scope.run(FIND_COMMAND, [id, device])
  return rows[0] ?? null
}

const CANCEL_QUEUED = sql<CommandRow>`update commands set state = 'cancelled', finished_at = now(), error_code = 'cancelled'
  where id = $1 and device = $2 and state = 'queued' returning ${COLUMNS}`

/** Null when the command is no longer queued. */
export async function cancelQueued(scope: TenantScope, device: number, id: string): Promise<CommandRow | null> {
  const { rows } = await scope.run(CANCEL_QUEUED, [id, device])
  return rows[0] ?? null
}

const COMMANDS_BY_ID = sql<CommandRow>`select ${COLUMNS} from commands where id = any ($1::uuid[])`

/** Commands of any company, for live subscribers whose rights were checked when they subscribed. */
export async function commandsById(scope: SystemScope, ids: readonly string[]): Promise<CommandRow[]> {
  const { rows } = await scope.run(COMMANDS_BY_ID, [ids])
  return rows
}
