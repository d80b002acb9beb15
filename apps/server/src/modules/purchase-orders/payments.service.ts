import type { PaymentView } from '@thingwright/contracts/purchase-orders.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Actor, type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { type Moved, move } from '../wallets/index.ts'
import { fulfil, type Paid, shipsCards } from './fulfilment.ts'
import { advance } from './order-events.ts'
import * as orders from './orders.repo.ts'
import * as repo from './payments.repo.ts'

export interface PaymentsDeps {
  database: Database
  logger: Logger
  now(): number
}

/** What a provider says: so much was paid, under its own number. */
export interface PaidNotice {
  amountFen: number
  providerNo: string | null
}

export interface PaymentsService {
  /**
   * Books a payment that succeeded, once, and gives what was bought. Money for an order that waits for none any more, paid
   * twice or too late, goes to the balance.
   * @throws AppError payment.not_found, payment.amount_differs, payment.state
   */
  succeeded(paymentId: string, notice: PaidNotice, actor: Actor): Promise<void>
  failed(paymentId: string, reason: string): Promise<void>
  /** Gives what was paid for; what cannot be given now is tried again later. @returns false when it failed */
  deliver(orderId: string): Promise<boolean>
}

/** Pauses between tries to give what was bought, in ms. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]

export function createPaymentsService({ database, logger, now }: PaymentsDeps): PaymentsService {
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)

  async function deliver(orderId: string): Promise<boolean> {
    try {
      await system(async scope => {
        const held = await orders.hold(scope, orderId)
        if (!held || !['paid', 'processing', 'faulted'].includes(held.state) || shipsCards(held.kind)) return
        const ctx = systemContext(held.tenantId, 'orders', now())
        const begun = held.state === 'processing' ? held : await advance(scope, held, 'begin', ctx.actor)
        const paid = await paidOf(scope, held)
        const outcome = await fulfil(scope, begun, paid, now())
        const at = new Date(now())
        await advance(scope, begun, 'complete', ctx.actor, { outcome, completedAt: at, endedAt: at })
        await recordAudit(scope, ctx, {
          action: 'purchase_order.fulfil',
          objectType: 'purchase_order',
          objectId: held.id,
          objectName: held.no,
          after: { state: 'completed', ...outcome },
        })
      })
      return true
    } catch (error) {
      logger.error({ err: error, order: orderId }, 'an order could not be fulfilled')
      await system(async scope => {
        const held = await orders.hold(scope, orderId)
        if (!held || !['paid', 'processing', 'faulted'].includes(held.state)) return
        const ctx = systemContext(held.tenantId, 'orders', now())
        const fault = error instanceof AppError ? error.code : 'server.error'
        const pause = PAUSES_MS[Math.min(held.tries, PAUSES_MS.length - 1)]!
        const change = { fault, tries: held.tries + 1, nextTryAt: new Date(now() + pause) }
        await advance(scope, held, 'fault', ctx.actor, change, fault)
        if (held.tries === 0)
          await recordAudit(scope, ctx, {
            action: 'purchase_order.fault',
            objectType: 'purchase_order',
            objectId: held.id,
            objectName: held.no,
            after: { fault },
            result: 'failed',
          })
      })
      return false
    }
  }

  return {
    deliver,
    async succeeded(paymentId, notice, actor) {
      const orderId = await system(async scope => {
        const found = await repo.findPayment(scope, paymentId)
        if (!found) throw new AppError('payment.not_found')
        // The order is locked before its payments, here as everywhere: two payments of one order would wait for each other.
        const order = (await orders.hold(scope, found.orderId))!
        const payment = (await repo.findPayment(scope, paymentId, true))!
        if (payment.state === 'succeeded') return payment.orderId
        if (payment.state === 'refused') throw new AppError('payment.state', { params: { state: payment.state } })
        if (payment.amountFen !== notice.amountFen) throw new AppError('payment.amount_differs')
        const at = new Date(now())
        await repo.changePayment(scope, payment.id, { state: 'succeeded', providerNo: notice.providerNo, paidAt: at })
        await book(scope, order, payment, actor)
        const ctx: Ctx = { ...systemContext(order.tenantId, 'orders', now()), actor }
        await recordAudit(scope, ctx, {
          action: 'purchase_order.paid',
          objectType: 'purchase_order',
          objectId: order.id,
          objectName: order.no,
          after: { amountFen: payment.amountFen, provider: payment.provider, payment: payment.no },
        })
        return order.id
      })
      await deliver(orderId)
    },
    failed: (paymentId, reason) =>
      system(async scope => {
        const payment = await repo.findPayment(scope, paymentId, true)
        if (!payment) throw new AppError('payment.not_found')
        if (payment.state !== 'created' && payment.state !== 'pending')
          throw new AppError('payment.state', { params: { state: payment.state } })
        await repo.changePayment(scope, paymentId, { state: 'failed', reason })
      }),
  }

  /** Money that came from outside: for the order when it waits for it, otherwise for the balance. */
  async function book(
    scope: SystemScope,
    order: orders.OrderRow,
    payment: repo.PaymentRow,
    actor: Actor,
  ): Promise<Moved> {
    const cause = { kind: 'purchase_order', id: order.id, no: order.no }
    const key = `payment:${payment.id}`
    const base = { tenantId: order.tenantId, key, cause, actor }
    if (order.state !== 'pending')
      return move(scope, {
        ...base,
        kind: 'top_up',
        remark: payment.no,
        entries: { payments: -payment.amountFen, available: payment.amountFen },
      })
    const to = order.kind === 'top_up' ? 'available' : 'income'
    const moved = await move(scope, {
      ...base,
      kind: order.kind === 'top_up' ? 'top_up' : 'purchase',
      remark: order.items[0]?.name ?? '',
      entries: { payments: -payment.amountFen, [to]: payment.amountFen },
    })
    await advance(scope, order, 'pay', actor, { paidFen: payment.amountFen, paidAt: new Date(now()) }, payment.no)
    // Another way may have been begun meanwhile: what is paid there would be paid twice.
    await repo.closeOpenPayments(scope, order.id, new Date(now()))
    return moved
  }
}

/** The movement that paid for an order; empty where nothing was to be paid. */
export async function paidOf(scope: SystemScope, order: orders.OrderRow): Promise<Paid> {
  const payment = (await repo.paymentsOf(scope, order.id)).find(({ state }) => state === 'succeeded')
  const found = payment ? await repo.movementOf(scope, order.tenantId, `payment:${payment.id}`) : null
  return found ?? { transactionId: null, balanceAfterFen: null }
}

export const paymentView = (row: repo.PaymentRow): PaymentView => ({
  id: row.id,
  no: row.no,
  orderId: row.orderId,
  provider: row.provider,
  state: row.state,
  amountFen: row.amountFen,
  codeUrl: row.codeUrl,
  pageUrl: row.pageUrl,
  reason: row.reason,
  createdAt: row.createdAt.toISOString(),
  paidAt: row.paidAt?.toISOString() ?? null,
  expiresAt: row.expiresAt?.toISOString() ?? null,
})
