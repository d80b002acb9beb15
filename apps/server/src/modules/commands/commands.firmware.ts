import type { CommandCondition } from '@thingwright/contracts/command-schemas'
import type { TenantScope } from '../../lib/database/database.ts'
import type { ChangedCommand } from '../../lib/news.ts'
import { sql } from '../../lib/sql/statement.ts'
import { insertCommands } from './commands.repo.ts'

/** A package that a device is to be told of. */
export interface FirmwareCommand {
  id: string
  deviceId: string
  device: number
  /** Shown as the identifier of the command. */
  module: string
  /** The payload as it leaves. */
  notice: object
  /** Asked again before it leaves. */
  conditions: readonly CommandCondition[]
  operatorId: string | null
  operatorName: string
  expiresAt: Date
}

const ACK_MS = 30_000

/** Puts notices of firmware into the queues of their devices, beside the other commands and in their order. */
export async function putFirmwareCommands(scope: TenantScope, commands: readonly FirmwareCommand[]): Promise<void> {
  if (commands.length === 0) return
  await insertCommands(
    scope,
    commands.map(({ id, deviceId, device, module, notice, conditions, operatorId, operatorName, expiresAt }) => ({
      id,
      deviceId,
      device,
      kind: 'firmware' as const,
      identifier: module,
      params: notice as Record<string, unknown>,
      source: 'firmware' as const,
      operatorId,
      operatorName,
      timeoutMs: ACK_MS,
      expiresAt,
      // The device answers by what it does, in messages of its own.
      confirm: 'none' as const,
      readBack: null,
      expects: null,
      interlock: conditions,
      retries: 0,
      template: null,
      batchId: null,
      lora: null,
      scheduleId: null,
      secretParams: [],
    })),
  )
}

const CANCEL_FIRMWARE_COMMANDS = sql<ChangedCommand>`with held as (
    select id from commands where id = any ($1::uuid[]) and kind = 'firmware' and state = 'queued' order by id for update)
  update commands set state = 'cancelled', finished_at = now(), error_code = 'cancelled'
  where id in (select id from held) and state = 'queued' returning device, id`

/** Takes back those that have not left. @returns what changed, for live subscribers */
export async function cancelFirmwareCommands(
  scope: Pick<TenantScope, 'run'>,
  ids: readonly string[],
): Promise<ChangedCommand[]> {
  if (ids.length === 0) return []
  const { rows } = await scope.run(CANCEL_FIRMWARE_COMMANDS, [ids])
  return rows
}

const DROP_STALE_FIRMWARE_COMMANDS = sql<ChangedCommand>`update commands set state = 'cancelled', finished_at = now(), error_code = 'superseded'
  where state = 'queued' and id in (
    select c.id from commands c where c.kind = 'firmware' and c.state = 'queued'
      and not exists (select 1 from ota_jobs j where j.command_id = c.id and j.state = 'pending')
    limit $1 for update skip locked)
  returning device, id`

/** Notices in queues that no update has a use for any more. */
export async function dropStaleFirmwareCommands(
  scope: Pick<TenantScope, 'run'>,
  limit: number,
): Promise<ChangedCommand[]> {
  const { rows } = await scope.run(DROP_STALE_FIRMWARE_COMMANDS, [limit])
  return rows
}
