import type { QueryOf } from '@thingwright/contracts'
import type { CommandView, commandsContract } from '@thingwright/contracts/commands.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { authoriseDevice } from '../devices/index.ts'
import type { CreateCommand } from './commands.checks.ts'
import { assertCommandable, type CommandIntake } from './commands.intake.ts'
import { toView } from './commands.mapping.ts'
import * as repo from './commands.repo.ts'

export type ListCommands = QueryOf<(typeof commandsContract)['list']>

export interface CommandsServiceDeps {
  database: Database
  gateway: Pick<GatewayPort, 'wake'>
  intake: CommandIntake
}

export interface CommandsService {
  /** Queues a command and wakes the device's gateway. @param source who is behind it, when it is no person at the console */
  create(ctx: Ctx, deviceId: string, input: CreateCommand, source?: repo.CommandSource): Promise<CommandView>
  list(ctx: Ctx, deviceId: string, input: ListCommands): Promise<{ items: CommandView[]; nextCursor: string | null }>
  get(ctx: Ctx, deviceId: string, commandId: string): Promise<CommandView>
  /** @throws AppError command.not_cancellable once it was sent */
  cancel(ctx: Ctx, deviceId: string, commandId: string): Promise<CommandView>
  /** Views of changed commands for live subscribers, of any company; rights were checked at the subscription. */
  views(ids: readonly string[]): Promise<CommandView[]>
}

export function createCommandsService(deps: CommandsServiceDeps): CommandsService {
  const { database, gateway, intake } = deps

  /** An interlock that said no is written down: its transaction is gone with the refusal. */
  async function noting<T>(
    ctx: Ctx,
    deviceId: string,
    { kind, identifier, params }: CreateCommand,
    work: (scope: TenantScope) => Promise<T>,
  ): Promise<T> {
    try {
      return await database.withTenant(ctx, work)
    } catch (error) {
      if (isAppError(error) && error.code === 'command.interlocked')
        await database.withTenant(ctx, scope =>
          recordAudit(scope, ctx, {
            action: 'command.create',
            objectType: 'device',
            objectId: deviceId,
            after: { kind, identifier, params, error: error.code, ...error.params },
            result: 'refused',
          }),
        )
      throw error
    }
  }

  return {
    create: (ctx, deviceId, input, source = 'user') =>
      noting(ctx, deviceId, input, async scope => {
        const device = assertCommandable(await authoriseDevice(scope, deviceId))
        const { row, superseded } = await intake.put(scope, ctx, device, input, { source })
        await recordAudit(scope, ctx, {
          action: 'command.create',
          objectType: 'command',
          objectId: row.id,
          objectName: device.name,
          after: {
            deviceId,
            kind: row.kind,
            identifier: row.identifier,
            params: row.params,
            ...(row.template ? { template: row.template.name } : {}),
          },
        })
        scope.afterCommit(() => gateway.wake([device.num]))
        scope.tell('commands.changed', {
          commands: [row.id, ...superseded].map(id => ({ device: device.num, id })),
        })
        return toView(row)
      }),

    list: (ctx, deviceId, input) =>
      database.withTenant(ctx, async scope => {
        const device = await authoriseDevice(scope, deviceId)
        const limit = input.limit ?? 20
        const below = positionOf(input.cursor)
        const rows = await readFrom(input.cursor, () =>
          repo.listCommands(scope, device.num, {
            state: input.state,
            kind: input.kind,
            source: input.source,
            below,
            limit: limit + 1,
          }),
        )
        const items = rows.slice(0, limit)
        return {
          items: items.map(toView),
          nextCursor: rows.length > limit ? encodeCursor([items.at(-1)!.position]) : null,
        }
      }),

    get: (ctx, deviceId, commandId) =>
      database.withTenant(ctx, async scope => toView(await existing(scope, deviceId, commandId))),

    cancel: (ctx, deviceId, commandId) =>
      database.withTenant(ctx, async scope => {
        const device = await authoriseDevice(scope, deviceId)
        const row = await repo.cancelQueued(scope, device.num, commandId)
        if (!row) {
          const { state } = await existing(scope, deviceId, commandId)
          throw new AppError('command.not_cancellable', { params: { state } })
        }
        await recordAudit(scope, ctx, {
          action: 'command.cancel',
          objectType: 'command',
          objectId: row.id,
          objectName: device.name,
          before: { state: 'queued' },
          after: { state: row.state },
        })
        scope.tell('commands.changed', { commands: [{ device: device.num, id: row.id }] })
        return toView(row)
      }),

    views: ids =>
      ids.length === 0
        ? Promise.resolve([])
        : database.withSystemScope('live', async scope => (await repo.commandsById(scope, ids)).map(toView)),
  }
}

async function existing(scope: TenantScope, deviceId: string, commandId: string): Promise<repo.CommandRow> {
  const device = await authoriseDevice(scope, deviceId)
  const row = await repo.findCommand(scope, device.num, commandId)
  if (!row) throw new AppError('command.not_found')
  return row
}

function positionOf(cursor: string | undefined): number | undefined {
  const position = decodeCursor(cursor, 1)?.[0]
  if (position === undefined) return undefined
  if (!Number.isSafeInteger(position)) throw new AppError('request.cursor_invalid')
  return position as number
}
