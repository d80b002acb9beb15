import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { SystemScope, TenantScope } from '../../lib/database.ts'

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
}

const COLUMNS = `id, position, tenant_id as "tenantId", device_id as "deviceId", device, kind, identifier, params, state,
  source, operator_name as "operatorName", timeout_ms as "timeoutMs", attempt, expires_at as "expiresAt",
  created_at as "createdAt", sent_at as "sentAt", delivered_at as "deliveredAt", finished_at as "finishedAt", reply,
  error_code as "errorCode", error_message as "errorMessage"`

/** First key of the advisory lock under which a device's queue is changed by one request at a time. */
const QUEUE_LOCK = 7310

/** Makes requests that add commands to the same device wait for each other: order, bound and collapse stay right. */
export async function lockQueue(scope: TenantScope, device: number): Promise<void> {
  await scope.query('select pg_advisory_xact_lock($1, $2)', [QUEUE_LOCK, device])
}

/** The thing model devices of a product are checked against; `model` only when it is newer than the version held. */
export async function publishedModel(
  scope: TenantScope,
  productId: string,
  heldVersion: number,
): Promise<{ version: number; model: unknown } | null> {
  const { rows } = await scope.query<{ version: number; model: unknown }>(
    `select model_version as version, case when model_version = $2 then null else published_model end as model
     from products where id = $1 and status = 'published' and published_model is not null`,
    [productId, heldVersion],
  )
  return rows[0] ?? null
}

export async function countQueued(scope: TenantScope, device: number): Promise<number> {
  const { rows } = await scope.query<{ count: number }>(
    `select count(*) as count from commands where device = $1 and state = 'queued'`,
    [device],
  )
  return rows[0]?.count ?? 0
}

/**
 * Only the latest wish per property waits in a queue: takes these properties out of older queued property sets; one
 * that has nothing left is cancelled and keeps its parameters for the history.
 */
export async function supersede(scope: TenantScope, device: number, identifiers: readonly string[]): Promise<string[]> {
  const { rows } = await scope.query<{ id: string }>(
    `update commands set
       params = case when params - $2::text[] = '{}'::jsonb then params else params - $2::text[] end,
       state = case when params - $2::text[] = '{}'::jsonb then 'cancelled' else state end,
       finished_at = case when params - $2::text[] = '{}'::jsonb then now() end,
       error_code = case when params - $2::text[] = '{}'::jsonb then 'superseded' end
     where device = $1 and state = 'queued' and kind = 'property_set' and params ?| $2::text[]
     returning id`,
    [device, identifiers],
  )
  return rows.map(row => row.id)
}

export async function insertCommand(scope: TenantScope, command: NewCommand): Promise<CommandRow> {
  const { rows } = await scope.query<CommandRow>(
    `insert into commands (id, tenant_id, device_id, device, kind, identifier, params, source, operator_id, operator_name, timeout_ms, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${COLUMNS}`,
    [
      command.id,
      scope.tenantId,
      command.deviceId,
      command.device,
      command.kind,
      command.identifier,
      JSON.stringify(command.params),
      command.source,
      command.operatorId,
      command.operatorName,
      command.timeoutMs,
      command.expiresAt,
    ],
  )
  return rows[0]!
}

/** Adds wishes to the device's wanted state. */
export async function mergeDesired(
  scope: TenantScope,
  device: number,
  desired: Record<string, unknown>,
): Promise<void> {
  await scope.query(
    `insert into shadow_desired (device, tenant_id, desired) values ($1, $2, $3)
     on conflict (device) do update set desired = shadow_desired.desired || excluded.desired,
       version = shadow_desired.version + 1, updated_at = now()`,
    [device, scope.tenantId, JSON.stringify(desired)],
  )
}

/** A device's commands, newest first, from below a position. */
export async function listCommands(
  scope: TenantScope,
  device: number,
  filter: { state?: CommandState; below?: number; limit: number },
): Promise<CommandRow[]> {
  const params: unknown[] = [device, filter.limit]
  const conditions = ['device = $1']
  if (filter.state) conditions.push(`state = $${params.push(filter.state)}`)
  if (filter.below !== undefined) conditions.push(`position < $${params.push(filter.below)}`)
  const { rows } = await scope.query<CommandRow>(
    `select ${COLUMNS} from commands where ${conditions.join(' and ')} order by position desc limit $2`,
    params,
  )
  return rows
}

export async function findCommand(scope: TenantScope, device: number, id: string): Promise<CommandRow | null> {
  const { rows } = await scope.query<CommandRow>(`select ${COLUMNS} from commands where id = $1 and device = $2`, [
    id,
    device,
  ])
  return rows[0] ?? null
}

/** Null when the command is no longer queued. */
export async function cancelQueued(scope: TenantScope, device: number, id: string): Promise<CommandRow | null> {
  const { rows } = await scope.query<CommandRow>(
    `update commands set state = 'cancelled', finished_at = now(), error_code = 'cancelled'
     where id = $1 and device = $2 and state = 'queued' returning ${COLUMNS}`,
    [id, device],
  )
  return rows[0] ?? null
}

/** Commands of any company, for live subscribers whose rights were checked when they subscribed. */
export async function commandsById(scope: SystemScope, ids: readonly string[]): Promise<CommandRow[]> {
  const { rows } = await scope.query<CommandRow>(`select ${COLUMNS} from commands where id = any ($1::uuid[])`, [ids])
  return rows
}
