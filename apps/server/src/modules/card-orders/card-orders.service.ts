import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { CardOrderRow, cardOrdersContract } from '@thingwright/contracts/card-orders.contract'
import type { CatalogueItem, OrderItem, SimSpec } from '@thingwright/contracts/catalogue.contract'
import type { OrderView } from '@thingwright/contracts/purchase-orders.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing } from '../../lib/sql/list.ts'
import { catalogueItem, holdOrder, openOrder, viewOrder } from '../purchase-orders/index.ts'
import { receive } from './card-fulfilment.ts'
import * as repo from './card-orders.repo.ts'
import type { SourceBoxes } from './card-sources.ts'
import { cardOrderView } from './card-views.ts'

type Contract = typeof cardOrdersContract
type Wrong = 'order.item_unknown' | 'card_order.not_a_card' | 'card_order.form'

export interface CardOrdersService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError card_order.not_found */
  get(ctx: Ctx, id: string): Promise<CardOrderRow>
  /** @throws AppError order.item_unknown, card_order.not_a_card, card_order.form */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<OrderView>
  /** @throws AppError card_order.no_cards, card_order.card_unknown, card_order.card_not_sold, card_order.plan_of_other_carrier and those of create */
  renew(ctx: Ctx, input: BodyOf<Contract['renew']>): Promise<OrderView>
  /** @throws AppError card_order.not_found, order.state */
  receive(ctx: Ctx, id: string): Promise<CardOrderRow>
}

/** SIM cards that a company buys. */
export function createCardOrders({ database, boxes }: { database: Database; boxes: SourceBoxes }): CardOrdersService {
  async function planOf(scope: TenantScope, sku: string): Promise<{ item: CatalogueItem; spec: SimSpec }> {
    const item = await catalogueItem(scope, sku)
    if (!item) wrong('sku', 'order.item_unknown', { sku })
    if (item.kind !== 'sim') wrong('sku', 'card_order.not_a_card', { sku })
    return { item, spec: item.spec as SimSpec }
  }

  const lineOf = (item: CatalogueItem, quantity: number, eachFen: number): OrderItem => ({
    itemId: item.id,
    sku: item.sku,
    kind: item.kind,
    name: item.name,
    ename: item.ename,
    spec: item.spec,
    quantity,
    priceFen: item.priceFen,
    amountFen: eachFen * quantity,
  })

  const get = (ctx: Ctx, id: string) =>
    database.withTenant(ctx, async scope => {
      const row = await repo.find(scope, id)
      if (!row) throw new AppError('card_order.not_found')
      return cardOrderView(row)
    })

  return {
    get,

    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, repo.CARD_ORDER_SORTS, '-createdAt')
        const filter = cardOrderFilter(input)
        const given = [scope.tenantId]
        const after = decodeCursor(input.cursor, 2) as readonly [string, string] | null
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...repo.CARD_ORDERS.page({ given, filter, sort, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const total =
          input.total === '1' ? (await scope.run(...repo.CARD_ORDERS.count(filter, given))).rows[0]!.n : undefined
        return {
          items: page.map(cardOrderView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      }),

    create: (ctx, { sku, quantity, form, address, remark }) =>
      database.withTenant(ctx, async scope => {
        const { item, spec } = await planOf(scope, sku)
        if (!spec.forms.includes(form)) wrong('form', 'card_order.form', { form })
        const line = lineOf(item, quantity, item.priceFen + spec.cardFen)
        const order = { kind: 'sim' as const, items: [line], amountFen: line.amountFen, remark: remark?.trim() ?? '' }
        const orderId = await openOrder(scope, ctx, order, 'purchase_order.create')
        const goods = { orderId, tenantId: scope.tenantId, carrier: spec.carrier, form, address, cardIds: [] }
        await repo.insert(scope, goods)
        return viewOrder(scope, orderId)
      }),

    renew: (ctx, { sku, cardIds: named, cardOrderId }) =>
      database.withTenant(ctx, async scope => {
        const { item, spec } = await planOf(scope, sku)
        const cardIds = named ?? (cardOrderId ? await repo.cardsOfOrder(scope, cardOrderId) : [])
        if (cardIds.length === 0) throw new AppError('card_order.no_cards')
        const cards = await repo.ownCards(scope, cardIds)
        if (cards.length < cardIds.length)
          throw new AppError('card_order.card_unknown', { params: { count: cardIds.length - cards.length } })
        const foreign = cards.find(card => !card.sold)
        if (foreign) throw new AppError('card_order.card_not_sold', { params: { iccid: foreign.iccid } })
        const other = cards.find(card => card.carrier !== spec.carrier)
        if (other) throw new AppError('card_order.plan_of_other_carrier', { params: { iccid: other.iccid } })
        const line = lineOf(item, cardIds.length, item.priceFen)
        const order = { kind: 'sim_renewal' as const, items: [line], amountFen: line.amountFen, remark: '' }
        const orderId = await openOrder(scope, ctx, order, 'purchase_order.create')
        const goods = { orderId, tenantId: scope.tenantId, carrier: spec.carrier, form: null, address: null, cardIds }
        await repo.insert(scope, goods)
        return viewOrder(scope, orderId)
      }),

    async receive(ctx, id) {
      await get(ctx, id)
      await database.withSystemScope('money', async scope => {
        const order = await holdOrder(scope, id)
        if (order?.tenantId !== ctx.tenantId) throw new AppError('card_order.not_found')
        await receive(scope, boxes, order, ctx)
      })
      return get(ctx, id)
    },
  }
}

function wrong(field: string, code: Wrong, params: Record<string, unknown>): never {
  throw new AppError(code, { params, fields: { [field]: { code, params } } })
}

/** The list's filters as the database is asked. */
export function cardOrderFilter(input: {
  q?: string | undefined
  state?: repo.CardOrder['state'] | undefined
  carrier?: string | undefined
}): repo.CardOrderFilter {
  const q = input.q?.trim()
  return {
    ...(q ? { q: containing(q) } : {}),
    ...(input.state ? { state: input.state } : {}),
    ...(input.carrier ? { carrier: input.carrier } : {}),
  }
}
