import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type {
  CommandBatchItem,
  CommandBatchView,
  commandBatchesContract,
} from '@thingwright/contracts/command-batches.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { deviceSelector } from '../devices/device-selector.views.ts'
import * as repo from './command-batches.repo.ts'
import { storedActor } from './command-batches.runner.ts'
import words from './command-words.json' with { type: 'json' }
import type { CommandIntake } from './commands.intake.ts'

type Contract = typeof commandBatchesContract
export type CreateBatch = BodyOf<Contract['create']>
type ListItems = QueryOf<Contract['items']>

export interface CommandBatchesService {
  create(ctx: Ctx, input: CreateBatch): Promise<CommandBatchView>
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<{ items: CommandBatchView[]; nextCursor: string | null }>
  get(ctx: Ctx, id: string): Promise<CommandBatchView>
  items(ctx: Ctx, id: string, input: ListItems): Promise<{ items: CommandBatchItem[]; nextCursor: string | null }>
  export(ctx: Ctx, id: string, input: QueryOf<Contract['export']>): Promise<StreamReply>
  cancel(ctx: Ctx, id: string): Promise<CommandBatchView>
  retry(ctx: Ctx, id: string, answers: { acknowledged?: boolean; pin?: string }): Promise<CommandBatchView>
}

/** Devices of one batch. */
export const MAX_DEVICES = 100_000
const PER_SECOND = 200
const EXPORT_PAGE = 1000

export function createCommandBatchesService(deps: {
  database: Database
  intake: CommandIntake
  onBatch(): void
}): CommandBatchesService {
  const { database, intake } = deps

  async function make(
    scope: TenantScope,
    ctx: Ctx,
    input: Pick<CreateBatch, 'name' | 'command' | 'perSecond'>,
    retryOf: string | null,
    fill: (id: string) => Promise<number>,
  ): Promise<CommandBatchView> {
    const id = newId()
    // What opened the door is not kept.
    const { pin: _, acknowledged: __, ...request } = input.command
    await repo.insertBatch(scope, {
      id,
      name: input.name ?? `${words[ctx.locale].batch} ${dayOf(ctx.now)}`,
      request,
      perSecond: input.perSecond ?? PER_SECOND,
      ownerId: actorId(ctx.actor),
      ownerName: actorName(ctx.actor),
      actor: storedActor(ctx.actor),
      locale: ctx.locale,
      ip: ctx.ip ?? null,
      retryOf,
    })
    const total = await fill(id)
    if (total > MAX_DEVICES) throw new AppError('command_batch.too_many', { params: { limit: MAX_DEVICES } })
    await repo.setTotal(scope, id, total)
    const products = await repo.productsOf(scope, id)
    let refusal: unknown = null
    let fits = 0
    for (const productId of products) {
      try {
        await intake.passDangersOf(scope, ctx, productId, input.command)
        fits++
      } catch (error) {
        // Devices of a product that has no such command get their own row; a danger stops everything.
        if (error instanceof AppError && DEVICE_MATTERS.has(error.code)) refusal = error
        else throw error
      }
    }
    if (fits === 0 && refusal) throw refusal
    const batch = (await repo.findBatch(scope, id))!
    await recordAudit(scope, ctx, {
      action: 'command_batch.create',
      objectType: 'command_batch',
      objectId: id,
      objectName: batch.name,
      after: { command: request, devices: total, perSecond: batch.perSecond, ...(retryOf ? { retryOf } : {}) },
    })
    scope.afterCommit(deps.onBatch)
    return view(scope, batch)
  }

  async function view(scope: TenantScope, batch: repo.BatchRow): Promise<CommandBatchView> {
    return toView(batch, (await repo.countsOf(scope, [batch.id])).get(batch.id) ?? {})
  }

  const service: CommandBatchesService = {
    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const { target } = input
        const { all, deviceIds, ...selection } = target
        const selector = await deviceSelector(scope, { ...selection, ids: deviceIds })
        // Every device is only meant when it is said; a blank search narrows nothing.
        const { recycled: _, ...narrowed } = selector
        if (!all && Object.keys(narrowed).length === 0) throw new AppError('command_batch.empty')
        return make(scope, ctx, input, null, async id => {
          const found = await repo.insertTargets(scope, id, selector, MAX_DEVICES)
          if (found > MAX_DEVICES) return found
          const missing = target.deviceIds ? await repo.insertMissing(scope, id, target.deviceIds) : 0
          if (found === 0) throw new AppError('command_batch.empty')
          return found + missing
        })
      }),

    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const position = decodeCursor(input.cursor, 2)
        if (position?.some(part => typeof part !== 'string')) throw new AppError('request.cursor_invalid')
        const rows = await readFrom(input.cursor, () =>
          repo.listBatches(
            scope,
            scope.limited ? actorId(ctx.actor) : null,
            position as [string, string] | null,
            limit + 1,
          ),
        )
        const shown = rows.slice(0, limit)
        const counts = await repo.countsOf(
          scope,
          shown.map(row => row.id),
        )
        const last = shown.at(-1)
        return {
          items: shown.map(row => toView(row, counts.get(row.id) ?? {})),
          nextCursor: rows.length > limit && last ? encodeCursor([last.place, last.id]) : null,
        }
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => view(scope, await visible(scope, ctx, id))),

    items: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        await visible(scope, ctx, id)
        return page(scope, ctx, id, input, input.limit ?? 20)
      }),

    async export(ctx, id, { format, ...filter }) {
      const { name } = await service.get(ctx, id)
      const text = words[ctx.locale]
      return listExport<CommandBatchItem>(database, ctx, {
        format,
        fileName: `${name}-${dayOf(ctx.now)}`,
        action: 'command_batch.export',
        objectType: 'command_batch',
        filters: { batch: id, ...filter },
        columns: [
          { key: 'deviceNo', title: text.deviceNo, value: row => row.deviceNo },
          { key: 'deviceName', title: text.deviceName, value: row => row.deviceName },
          { key: 'state', title: text.state, value: row => text.states[row.state] },
          { key: 'message', title: text.reason, value: row => row.message ?? '' },
          { key: 'reply', title: text.reply, value: row => (row.reply === null ? '' : JSON.stringify(row.reply)) },
          { key: 'finishedAt', title: text.finishedAt, type: 'time', value: row => row.finishedAt },
          { key: 'commandId', title: text.commandId, value: row => row.commandId ?? '' },
        ],
        rows: everyItem(cursor =>
          database.withTenant(ctx, scope =>
            page(scope, ctx, id, { ...filter, ...(cursor ? { cursor } : {}) }, EXPORT_PAGE),
          ),
        ),
      })
    },

    cancel: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await visible(scope, ctx, id)
        if (before.state === 'cancelled' || before.state === 'cancelling') throw new AppError('command_batch.ended')
        // A batch whose commands are all made may still have some in the queues.
        await repo.setBatchState(scope, id, 'cancelling')
        await recordAudit(scope, ctx, {
          action: 'command_batch.cancel',
          objectType: 'command_batch',
          objectId: id,
          objectName: before.name,
          before: { state: before.state },
          after: { state: 'cancelling' },
        })
        scope.afterCommit(deps.onBatch)
        return view(scope, { ...before, state: 'cancelling', endedAt: null })
      }),

    retry: (ctx, id, answers) =>
      database.withTenant(ctx, async scope => {
        const of = await visible(scope, ctx, id)
        const { expiresAt: _, ...request } = of.request
        const input = { name: of.name, command: { ...request, ...answers }, perSecond: of.perSecond }
        return make(scope, ctx, input, id, async made => {
          const found = await repo.insertFailed(scope, made, id)
          if (found === 0) throw new AppError('command_batch.nothing_to_retry')
          return found
        })
      }),
  }
  return service

  async function page(
    scope: TenantScope,
    ctx: Ctx,
    id: string,
    input: Pick<ListItems, 'cursor' | 'state' | 'q'>,
    limit: number,
  ): Promise<{ items: CommandBatchItem[]; nextCursor: string | null }> {
    const after = Number(decodeCursor(input.cursor, 1)?.[0] ?? 0)
    if (!Number.isSafeInteger(after)) throw new AppError('request.cursor_invalid')
    const rows = await readFrom(input.cursor, () =>
      repo.listItems(scope, id, { state: input.state, q: input.q, after, limit: limit + 1 }),
    )
    const shown = rows.slice(0, limit)
    return {
      items: shown.map(row => toItem(row, ctx)),
      nextCursor: rows.length > limit ? encodeCursor([shown.at(-1)!.position]) : null,
    }
  }
}

/** Refusals that are one product's or one device's own and no reason to stop the others. */
const DEVICE_MATTERS = new Set([
  'product.not_published',
  'command.params_invalid',
  'command.service_unknown',
  'command.raw_unavailable',
  'command.lora_only',
  'command.read_back_impossible',
  'command_template.other_product',
])

/** Batches of others are seen only by callers without a data scope. */
async function visible(scope: TenantScope, ctx: Ctx, id: string): Promise<repo.BatchRow> {
  const batch = await repo.findBatch(scope, id)
  if (!batch || (scope.limited && batch.ownerId !== actorId(ctx.actor))) throw new AppError('command_batch.not_found')
  return batch
}

async function* everyItem(
  next: (cursor?: string) => Promise<{ items: CommandBatchItem[]; nextCursor: string | null }>,
): AsyncGenerator<CommandBatchItem> {
  let cursor: string | null | undefined
  do {
    const page = await next(cursor ?? undefined)
    yield* page.items
    cursor = page.nextCursor
  } while (cursor)
}

function toView(row: repo.BatchRow, counts: Record<string, number>): CommandBatchView {
  const { id, name, state, request, total, perSecond, ownerName, retryOf } = row
  return {
    id,
    name,
    state,
    request,
    total,
    counts,
    perSecond,
    ownerName,
    retryOf,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }
}

function toItem(row: repo.ItemRow, ctx: Ctx): CommandBatchItem {
  const { position, deviceId, deviceNo, deviceName, state, commandId, errorCode, reply } = row
  const own = errorCode?.includes('.') ? errorText(ctx.locale, errorCode, row.errorParams ?? {}) : null
  const reasons: Record<string, string> = words[ctx.locale].reasons
  return {
    position,
    deviceId,
    deviceNo,
    deviceName,
    state,
    commandId,
    errorCode,
    message: own ?? row.errorMessage ?? (errorCode === null ? null : (reasons[errorCode] ?? errorCode)),
    reply: reply ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
