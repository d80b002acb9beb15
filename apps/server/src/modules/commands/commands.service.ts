import type { QueryOf } from '@thingwright/contracts'
import type { CommandView, commandsContract } from '@thingwright/contracts/commands.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { AuthorisedDevice } from '../../lib/authorised.ts'
import { actorId, actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { GatewayPort } from '../../lib/gateway-port.ts'
import { newId } from '../../lib/ids.ts'
import type { ChangedCommand } from '../../lib/ipc.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/paging.ts'
import { authoriseDevice } from '../devices/index.ts'
import { CommandModels } from './command-models.ts'
import { type CreateCommand, checkCommand, expiryOf } from './commands.checks.ts'
import { toView } from './commands.mapping.ts'
import * as repo from './commands.repo.ts'

export type ListCommands = QueryOf<(typeof commandsContract)['list']>

export interface CommandsServiceDeps {
  database: Database
  gateway: Pick<GatewayPort, 'wake'>
  /** Commands whose rows changed, after the commit: for live subscribers. */
  onChanged(changed: ChangedCommand[]): void
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

/** Commands that may wait for one device. */
export const QUEUE_LIMIT = 1_000

export function createCommandsService(deps: CommandsServiceDeps): CommandsService {
  const { database, gateway, onChanged } = deps
  const models = new CommandModels()

  return {
    create: (ctx, deviceId, input, source = 'user') =>
      database.withTenant(ctx, async scope => {
        const device = await commandable(scope, deviceId)
        const checked = checkCommand(await models.of(scope, device.productId), input)
        const expiresAt = expiryOf(input.expiresAt, ctx.now)
        await repo.lockQueue(scope, device.num)
        const superseded =
          checked.kind === 'property_set' ? await repo.supersede(scope, device.num, Object.keys(checked.params)) : []
        if ((await repo.countQueued(scope, device.num)) >= QUEUE_LIMIT)
          throw new AppError('command.queue_full', { params: { limit: QUEUE_LIMIT } })
        const row = await repo.insertCommand(scope, {
          id: newId(),
          deviceId: device.id,
          device: device.num,
          ...checked,
          source,
          operatorId: actorId(ctx.actor),
          operatorName: actorName(ctx.actor),
          expiresAt,
        })
        if (checked.kind === 'property_set') await repo.mergeDesired(scope, device.num, checked.params)
        await recordAudit(scope, ctx, {
          action: 'command.create',
          objectType: 'command',
          objectId: row.id,
          objectName: device.name,
          after: { deviceId, kind: checked.kind, identifier: checked.identifier, params: checked.params },
        })
        scope.afterCommit(() => {
          gateway.wake([device.num])
          onChanged([row.id, ...superseded].map(id => ({ device: device.num, id })))
        })
        return toView(row)
      }),

    list: (ctx, deviceId, input) =>
      database.withTenant(ctx, async scope => {
        const device = await authoriseDevice(scope, deviceId)
        const limit = input.limit ?? 20
        const below = positionOf(input.cursor)
        const rows = await readFrom(input.cursor, () =>
          repo.listCommands(scope, device.num, { state: input.state, below, limit: limit + 1 }),
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
        scope.afterCommit(() => onChanged([{ device: device.num, id: row.id }]))
        return toView(row)
      }),

    views: ids =>
      ids.length === 0
        ? Promise.resolve([])
        : database.withSystemScope('live', async scope => (await repo.commandsById(scope, ids)).map(toView)),
  }
}

/** @throws AppError device.not_found, device.recycled, device.disabled */
async function commandable(scope: TenantScope, deviceId: string): Promise<AuthorisedDevice> {
  const device = await authoriseDevice(scope, deviceId)
  if (device.lifecycle === 'recycled') throw new AppError('device.recycled')
  if (device.lifecycle === 'disabled') throw new AppError('device.disabled')
  return device
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
