import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { OperationView, simCardsContract } from '@thingwright/contracts/sim-cards.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import { ALLOWED } from './card-states.ts'
import * as cards from './cards.repo.ts'
import * as repo from './operations.repo.ts'
import words from './sim-card-words.json' with { type: 'json' }

type Contract = typeof simCardsContract
type Wanted = BodyOf<Contract['operate']>

export interface OperationsService {
  list(ctx: Ctx, input: QueryOf<Contract['operations']>): Promise<ResponseOf<Contract['operations']>>
  /** @throws AppError sim_card.not_found, action_not_allowed, operation_open, speed_missing, unsupported, not_searchable */
  operate(ctx: Ctx, cardId: string, wanted: Wanted): Promise<OperationView>
  operateMany(ctx: Ctx, input: BodyOf<Contract['operateMany']>): Promise<ResponseOf<Contract['operateMany']>>
}

/** What the interface of a carrier does not offer. */
const UNSUPPORTED = {
  onelink: [],
  cmp: ['to_pending', 'to_inventory', 'limit', 'unlimit', 'reset', 'bind_imei', 'unbind_imei'],
  dcp: ['to_pending', 'to_inventory', 'reset', 'bind_imei', 'unbind_imei'],
} as const

/** What may be asked for of a card now. */
export function allowedFor(card: Pick<cards.CardRow, 'state' | 'kind' | 'searchable'>): OperationView['action'][] {
  // What came of a change could not be asked for.
  if (!card.searchable) return []
  const missing: readonly string[] = UNSUPPORTED[card.kind]
  return ALLOWED[card.state].filter(action => !missing.includes(action))
}

export function createOperationsService({
  database,
  onQueued,
}: {
  database: Database
  onQueued(): void
}): OperationsService {
  async function queue(
    scope: TenantScope,
    ctx: Ctx,
    card: cards.CardRow,
    wanted: Wanted,
    open: boolean,
  ): Promise<string> {
    if (!card.searchable) throw new AppError('sim_card.not_searchable')
    const state = words[ctx.locale].states[card.state]
    if (!ALLOWED[card.state].includes(wanted.action))
      throw new AppError('sim_card.action_not_allowed', { params: { state } })
    if (!allowedFor(card).includes(wanted.action)) throw new AppError('sim_card.unsupported')
    if (wanted.action === 'limit' && wanted.speedKbps === undefined)
      throw new AppError('sim_card.speed_missing', { fields: { speedKbps: { code: 'sim_card.speed_missing' } } })
    if (open) throw new AppError('sim_card.operation_open')
    const id = newId(ctx.now)
    await repo.insert(scope, scope.tenantId, {
      id,
      cardId: card.id,
      action: wanted.action,
      speedKbps: wanted.speedKbps === undefined ? null : Number(wanted.speedKbps),
      tac: wanted.tac?.slice(0, 14) ?? null,
      notBefore: new Date(Math.max(ctx.now, card.cooldownUntil?.getTime() ?? 0)),
      byName: actorName(ctx.actor),
      createdBy: ownerIdOf(ctx.actor),
    })
    return id
  }

  return {
    list: (ctx, { limit = 20, cursor, q, sort, total, ...filter }) =>
      database.withTenant(ctx, async scope => {
        const order = parseSort(sort, repo.OPERATION_SORTS, '-createdAt')
        const wanted = { ...filter, ...(q ? { q: containing(q.trim()) } : {}) }
        const after = decodeCursor(cursor, 2) as ListPosition | null
        const { rows } = await readFrom(cursor, () =>
          scope.run(...repo.LIST.page({ filter: wanted, sort: order, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === '1' ? { total: (await scope.run(...repo.LIST.count(wanted))).rows[0]!.n } : {}),
        }
      }),

    operate: (ctx, cardId, wanted) =>
      database.withTenant(ctx, async scope => {
        const card = await cards.find(scope, cardId)
        if (!card) throw new AppError('sim_card.not_found')
        const open = await repo.openOf(scope, [cardId])
        const id = await queue(scope, ctx, card, wanted, open.size > 0)
        await recordAudit(scope, ctx, {
          action: 'sim_card.operate',
          objectType: 'sim_card',
          objectId: cardId,
          objectName: card.iccid,
          before: { state: card.state },
          after: { ...wanted },
        })
        scope.afterCommit(onQueued)
        return toView((await repo.find(scope, id))!)
      }),

    operateMany: (ctx, { ids, ...wanted }) =>
      database.withTenant(ctx, async scope => {
        const found = new Map((await cards.findMany(scope, ids)).map(card => [card.id, card]))
        const open = await repo.openOf(scope, ids)
        const rejected: ResponseOf<Contract['operateMany']>['rejected'] = []
        let queued = 0
        for (const id of ids) {
          const card = found.get(id)
          try {
            if (!card) throw new AppError('sim_card.not_found')
            await queue(scope, ctx, card, wanted, open.has(id))
            queued++
          } catch (error) {
            if (!isAppError(error)) throw error
            rejected.push({ id, code: error.code, message: errorText(ctx.locale, error.code, error.params) })
          }
        }
        await recordAudit(scope, ctx, {
          action: 'sim_card.operate_many',
          objectType: 'sim_card',
          objectName: [...found.values()]
            .slice(0, 3)
            .map(({ iccid }) => iccid)
            .join(', '),
          after: { ...wanted, queued, rejected: rejected.length, ids },
        })
        scope.afterCommit(onQueued)
        return { queued, rejected }
      }),
  }
}

function toView({
  tenantId: _,
  accountId: __,
  tac: ___,
  uncertain,
  checks: _c,
  ...row
}: repo.OperationRow): OperationView {
  return {
    ...row,
    // It went out and nothing came back: to people that is a change on its way.
    state: uncertain && row.state === 'queued' ? 'submitted' : row.state,
    notBefore: row.notBefore.toISOString(),
    createdAt: row.createdAt.toISOString(),
    submittedAt: row.submittedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
