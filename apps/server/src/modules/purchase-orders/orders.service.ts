import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { CatalogueItem, OrderItem } from '@thingwright/contracts/catalogue.contract'
import type { Provider } from '@thingwright/contracts/money.words'
import type {
  OrderRow as OrderRowView,
  OrderView,
  PaymentView,
  purchaseOrdersContract,
  RechargeView,
} from '@thingwright/contracts/purchase-orders.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { findWallet, move, yuan } from '../wallets/index.ts'
import { bySku } from './catalogue.repo.ts'
import type { OnlinePayments } from './online.service.ts'
import { advance } from './order-events.ts'
import { openOrder } from './order-open.ts'
import { refundView, rowView, viewOrder } from './order-views.ts'
import words from './order-words.json' with { type: 'json' }
import * as repo from './orders.repo.ts'
import { createPaying } from './paying.ts'
import * as pays from './payments.repo.ts'
import { type PaymentsService, paymentView } from './payments.service.ts'
import * as plans from './plans.repo.ts'
import { type Priced, price } from './pricing.ts'
import { waysFor } from './ways.ts'

type Contract = typeof purchaseOrdersContract

export interface OrdersDeps {
  database: Database
  payments: PaymentsService
  online: Pick<OnlinePayments, 'begin'>
}

export interface OrdersService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  get(ctx: Ctx, id: string): Promise<OrderView>
  quote(ctx: Ctx, input: BodyOf<Contract['quote']>): Promise<ResponseOf<Contract['quote']>>
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<OrderView>
  pay(ctx: Ctx, id: string, input: BodyOf<Contract['pay']>): Promise<OrderView>
  cancel(ctx: Ctx, id: string): Promise<OrderView>
  refund(ctx: Ctx, id: string, input: BodyOf<Contract['refund']>): Promise<OrderView>
  refunds(ctx: Ctx, input: QueryOf<Contract['refunds']>): Promise<ResponseOf<Contract['refunds']>>
  payment(ctx: Ctx, id: string): Promise<PaymentView>
  simulate(ctx: Ctx, id: string, outcome: 'paid' | 'failed'): Promise<PaymentView>
  recharge(ctx: Ctx, amountFen: number): Promise<OrderView>
  recharges(ctx: Ctx, input: QueryOf<Contract['recharges']>): Promise<ResponseOf<Contract['recharges']>>
}

/** Ways of paying whose money can go back the way it came. */
const REFUNDABLE: readonly Provider[] = ['simulated', 'wechat', 'alipay', 'transfer']

export function createOrdersService({ database, payments, online }: OrdersDeps): OrdersService {
  const pay = createPaying({ database, payments, online })

  async function priced(scope: TenantScope, ctx: Ctx, line: { sku: string; quantity?: number | undefined }) {
    const item = await bySku(scope, line.sku)
    if (!item) {
      const unknown = { code: 'order.item_unknown', params: { sku: line.sku } }
      throw new AppError('order.item_unknown', { params: { sku: line.sku }, fields: { 'items.0.sku': unknown } })
    }
    const plan = await plans.findPlan(scope, scope.tenantId)
    const term = await plans.termOf(scope, scope.tenantId)
    return price(
      item as CatalogueItem,
      line.quantity ?? 1,
      plan ? { ...plan, startedAt: plan.startedAt.getTime(), endsAt: plan.endsAt.getTime() } : null,
      { status: term.status, expiresAt: term.expiresAt?.getTime() ?? null },
      ctx.now,
    )
  }

  async function held(scope: TenantScope, id: string): Promise<repo.OrderRow> {
    const row = await repo.hold(scope, id)
    if (!row) throw new AppError('order.not_found')
    return row
  }

  const get = (ctx: Ctx, id: string) => database.withTenant(ctx, scope => viewOrder(scope, id))

  /** What costs nothing, a smaller plan that begins later say, needs no payment. */
  async function finishFree(ctx: Ctx, id: string): Promise<void> {
    await database.withTenant(ctx, async scope => {
      const order = await held(scope, id)
      if (order.payableFen === 0 && order.state === 'pending') await advance(scope, order, 'pay', ctx.actor)
    })
    await payments.deliver(id)
  }

  return {
    list: (ctx, input) => listOrders(ctx, { ...input }, true),

    get,

    quote: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const of: Priced = await priced(scope, ctx, input.items[0]!)
        const wallet = await findWallet(scope, scope.tenantId)
        return {
          kind: of.kind,
          items: [of.item],
          amountFen: of.payableFen,
          payableFen: of.payableFen,
          availableFen: (wallet?.availableFen ?? 0) + (wallet?.creditFen ?? 0),
          later: of.later === null ? null : new Date(of.later).toISOString(),
          providers: await waysFor(scope, of.kind),
        }
      }),

    async create(ctx, input) {
      const { id, free } = await database.withTenant(ctx, async scope => {
        const of = await priced(scope, ctx, input.items[0]!)
        if (of.kind === 'sim')
          throw new AppError('card_order.details_missing', {
            fields: { 'items.0.sku': { code: 'card_order.details_missing' } },
          })
        const order = { kind: of.kind, items: [of.item], amountFen: of.payableFen, remark: input.remark ?? '' }
        return { id: await openOrder(scope, ctx, order, 'purchase_order.create'), free: of.payableFen === 0 }
      })
      if (free) await finishFree(ctx, id)
      return get(ctx, id)
    },

    async pay(ctx, id, input) {
      await pay(ctx, id, input)
      return get(ctx, id)
    },

    async cancel(ctx, id) {
      await database.withTenant(ctx, async scope => {
        const order = await held(scope, id)
        await advance(scope, order, 'cancel', ctx.actor, { endedAt: new Date(ctx.now) })
        await pays.closeOpenPayments(scope, id, new Date(ctx.now))
        await recordAudit(scope, ctx, {
          action: 'purchase_order.cancel',
          objectType: 'purchase_order',
          objectId: id,
          objectName: order.no,
          before: { state: order.state },
          after: { state: 'cancelled' },
        })
      })
      return get(ctx, id)
    },

    async refund(ctx, id, input) {
      await database.withTenant(ctx, async scope => {
        const order = await held(scope, id)
        const most = order.paidFen - order.refundedFen
        const amountFen = input.amountFen ?? most
        if (amountFen > most || amountFen <= 0)
          throw new AppError('order.refund_amount', {
            params: { most: yuan(most) },
            fields: { amountFen: { code: 'order.refund_amount', params: { most: yuan(most) } } },
          })
        const payment = (await pays.paymentsOf(scope, id)).find(({ state }) => state === 'succeeded')
        const byOrigin = payment !== undefined && REFUNDABLE.includes(payment.provider)
        // Money of the balance goes back to it; a top-up goes back to where it came from.
        if (input.way === 'origin' ? !byOrigin : order.kind === 'top_up')
          throw new AppError('order.refund_way', { fields: { way: { code: 'order.refund_way' } } })
        const refundId = newId(ctx.now)
        await advance(scope, order, 'request_refund', ctx.actor, { stateBefore: order.state }, input.reason)
        await pays.insertRefund(scope, {
          id: refundId,
          tenantId: scope.tenantId,
          orderId: id,
          paymentId: payment?.id ?? null,
          amountFen,
          way: input.way,
          reason: input.reason.trim(),
          askedBy: actorName(ctx.actor) ?? '',
        })
        // It cannot be spent while somebody decides about it.
        if (order.kind === 'top_up')
          await move(scope, {
            tenantId: scope.tenantId,
            kind: 'freeze',
            key: `refund-freeze:${refundId}`,
            cause: { kind: 'purchase_order', id, no: order.no },
            actor: ctx.actor,
            remark: input.reason.trim(),
            entries: { available: -amountFen, frozen: amountFen },
          })
        await recordAudit(scope, ctx, {
          action: 'purchase_order.refund',
          objectType: 'purchase_order',
          objectId: id,
          objectName: order.no,
          after: { amountFen, way: input.way, reason: input.reason.trim() },
        })
      })
      return get(ctx, id)
    },

    refunds: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const after = positionOf(input.cursor)
        const rows = await readFrom(input.cursor, () => pays.refundPage(scope, scope.tenantId, after, limit + 1))
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(refundView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.createdAt.toISOString(), last.id]) : null,
        }
      }),

    payment: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await pays.findPayment(scope, id)
        if (!row) throw new AppError('payment.not_found')
        return paymentView(row)
      }),

    async simulate(ctx, id, outcome) {
      const payment = await database.withTenant(ctx, async scope => {
        const row = await pays.findPayment(scope, id)
        if (!row) throw new AppError('payment.not_found')
        // Where a real provider was set up meanwhile, nothing is simulated any more.
        const order = (await repo.find(scope, row.orderId))!
        if (row.provider !== 'simulated' || !(await waysFor(scope, order.kind)).includes('simulated'))
          throw new AppError('order.provider_unavailable', { params: { provider: row.provider } })
        if (row.state !== 'pending' && row.state !== 'created')
          throw new AppError('payment.state', { params: { state: row.state } })
        await recordAudit(scope, ctx, {
          action: 'payment.simulate',
          objectType: 'payment',
          objectId: id,
          objectName: row.no,
          after: { outcome },
        })
        return row
      })
      if (outcome === 'failed') await payments.failed(id, 'simulated')
      else await payments.succeeded(id, { amountFen: payment.amountFen, providerNo: `S${payment.no}` }, ctx.actor)
      return this.payment(ctx, id)
    },

    async recharge(ctx, amountFen) {
      const id = await database.withTenant(ctx, scope => {
        const item: OrderItem = {
          itemId: null,
          sku: 'top-up',
          kind: 'top_up',
          name: words.topUp.zh,
          ename: words.topUp.en,
          spec: null,
          quantity: 1,
          priceFen: amountFen,
          amountFen,
        }
        return openOrder(scope, ctx, { kind: 'top_up', items: [item], amountFen, remark: '' }, 'recharge.create')
      })
      return get(ctx, id)
    },

    async recharges(ctx, input) {
      const { items, nextCursor, total } = await listOrders(ctx, input, false)
      const views = await database.withTenant(ctx, async scope => {
        const all: RechargeView[] = []
        for (const order of items) {
          const [payment] = (await pays.paymentsOf(scope, order.id)).toSorted(
            (a, b) => Number(b.state === 'succeeded') - Number(a.state === 'succeeded'),
          )
          all.push({
            id: order.id,
            no: order.no,
            amountFen: order.amountFen,
            state: rechargeState(order, payment?.state ?? null),
            provider: payment?.provider ?? null,
            payment: payment ? paymentView(payment) : null,
            buyerName: order.buyerName,
            createdAt: order.createdAt,
            paidAt: order.paidAt,
            payBefore: order.payBefore,
          })
        }
        return all
      })
      return { items: views, nextCursor, ...(total === undefined ? {} : { total }) }
    },
  }

  function listOrders(
    ctx: Ctx,
    input: {
      limit?: number | undefined
      cursor?: string | undefined
      q?: string | undefined
      sort?: string | undefined
      total?: '0' | '1' | undefined
      kind?: repo.OrderRow['kind'] | undefined
      state?: repo.OrderRow['state'] | undefined
      from?: string | undefined
      to?: string | undefined
    },
    goods: boolean,
  ): Promise<ResponseOf<Contract['list']>> {
    return database.withTenant(ctx, async scope => {
      const limit = input.limit ?? 20
      const sort = parseSort(input.sort, repo.ORDER_SORTS, '-createdAt')
      const given = [scope.tenantId]
      const filter = orderFilter(input, goods && input.kind !== 'top_up' ? {} : { goods })
      const { rows } = await readFrom(input.cursor, () =>
        scope.run(...repo.ORDERS.page({ given, filter, sort, after: positionOf(input.cursor), limit: limit + 1 })),
      )
      const total = input.total === '1' ? (await scope.run(...repo.ORDERS.count(filter, given))).rows[0]!.n : undefined
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map(rowView),
        nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
        ...(total === undefined ? {} : { total }),
      }
    })
  }
}

/** How a top-up stands: its order and its payment are two things, and this says both in one word for its list. */
function rechargeState(order: OrderRowView, payment: string | null): RechargeView['state'] {
  if (order.state === 'refunded') return 'refunded'
  if (
    ['paid', 'processing', 'completed', 'faulted', 'partly_refunded', 'refund_requested', 'refunding'].includes(
      order.state,
    )
  )
    return 'succeeded'
  if (order.state === 'cancelled' || order.state === 'closed') return 'closed'
  if (payment === 'in_review') return 'in_review'
  if (payment === 'refused') return 'refused'
  if (payment === 'failed') return 'failed'
  return payment === 'pending' || payment === 'created' ? 'paying' : 'pending'
}

/** The list's filters as the database is asked. */
export function orderFilter(
  input: {
    q?: string | undefined
    kind?: repo.OrderRow['kind'] | undefined
    state?: repo.OrderRow['state'] | undefined
    from?: string | undefined
    to?: string | undefined
  },
  more: repo.OrderFilter = {},
): repo.OrderFilter {
  const q = input.q?.trim()
  return {
    ...(q ? { q: `%${q.replaceAll(/[\\%_]/g, sign => `\\${sign}`)}%` } : {}),
    ...(input.kind ? { kind: input.kind } : {}),
    ...(input.state ? { state: input.state } : {}),
    ...(input.from ? { from: new Date(input.from) } : {}),
    ...(input.to ? { to: new Date(input.to) } : {}),
    ...more,
  }
}

export function positionOf(cursor: string | undefined): readonly [string, string] | null {
  const position = decodeCursor(cursor, 2)
  if (!position) return null
  if (!position.every(each => typeof each === 'string')) throw new AppError('request.cursor_invalid')
  return position as [string, string]
}
