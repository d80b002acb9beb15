import type { BodyOf } from '@thingwright/contracts'
import type { purchaseOrdersContract } from '@thingwright/contracts/purchase-orders.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { move } from '../wallets/index.ts'
import type { OnlinePayments } from './online.service.ts'
import { advance } from './order-events.ts'
import { nextState } from './order-states.ts'
import * as repo from './orders.repo.ts'
import * as pays from './payments.repo.ts'
import type { PaymentsService } from './payments.service.ts'
import { filesOf } from './voucher-files.repo.ts'
import { isOnline, waysFor } from './ways.ts'

type Input = BodyOf<(typeof purchaseOrdersContract)['pay']>
/** What is left to do when the transaction has ended. */
type Next = { do: 'deliver' } | { do: 'begin'; payment: pays.PaymentRow; order: repo.OrderRow } | null

/** A bank transfer may take this long before somebody looks at it. */
const TRANSFER_MS = 7 * 24 * 60 * 60_000
const OPEN: readonly string[] = ['created', 'pending', 'in_review']

/** Pays an order: from the balance at once, otherwise by opening a payment at a provider. */
export function createPaying(deps: {
  database: Database
  payments: Pick<PaymentsService, 'deliver'>
  online: Pick<OnlinePayments, 'begin'>
}): (ctx: Ctx, id: string, input: Input) => Promise<void> {
  async function start(scope: TenantScope, ctx: Ctx, id: string, input: Input): Promise<Next> {
    const { provider, voucher } = input
    const form = input.form ?? 'code'
    const order = await repo.hold(scope, id)
    if (!order) throw new AppError('order.not_found')
    nextState(order.state, 'pay')
    if (order.payBefore.getTime() <= ctx.now)
      throw new AppError('order.state', { params: { state: 'closed', wanted: 'pending' } })
    const isOffered = (await waysFor(scope, order.kind)).includes(provider)
    if (!isOffered || (form === 'page' && provider !== 'alipay'))
      throw new AppError('order.provider_unavailable', { params: { provider } })
    const open = (await pays.paymentsOf(scope, id)).filter(({ state }) => OPEN.includes(state))
    if (open.some(({ state }) => state === 'in_review'))
      throw new AppError('payment.state', { params: { state: 'in_review' } })
    // As a code or as a page: what was opened as the one is not shown as the other.
    const same = open.find(
      payment =>
        payment.provider === provider &&
        (payment.state === 'created' || (form === 'page') === (payment.pageUrl !== null)),
    )
    // The provider was not asked, or its answer was lost: the same payment is opened again.
    if (same) return same.state === 'created' ? { do: 'begin', payment: same, order } : null
    await pays.closeOpenPayments(scope, id, new Date(ctx.now))
    const base = { id: newId(ctx.now), tenantId: scope.tenantId, orderId: id, provider, amountFen: order.payableFen }
    await recordAudit(scope, ctx, {
      action: 'purchase_order.pay',
      objectType: 'purchase_order',
      objectId: id,
      objectName: order.no,
      after: { provider, amountFen: order.payableFen },
    })
    if (provider === 'balance') {
      const at = new Date(ctx.now)
      await pays.insertPayment(scope, { ...base, state: 'succeeded', voucher: null, expiresAt: null, paidAt: at })
      await move(scope, {
        tenantId: scope.tenantId,
        kind: 'purchase',
        key: `payment:${base.id}`,
        cause: { kind: 'purchase_order', id, no: order.no },
        actor: ctx.actor,
        remark: order.items[0]?.name ?? '',
        entries: { available: -order.payableFen, income: order.payableFen },
      })
      await advance(scope, order, 'pay', ctx.actor, { paidFen: order.payableFen, paidAt: at })
      return { do: 'deliver' }
    }
    if (provider === 'transfer') {
      if (!voucher)
        throw new AppError('order.voucher_missing', { fields: { voucher: { code: 'order.voucher_missing' } } })
      const { fileIds = [] } = voucher
      if ((await filesOf(scope, scope.tenantId, fileIds)).length !== fileIds.length)
        throw new AppError('payment.file_not_found')
      await pays.insertPayment(scope, { ...base, state: 'in_review', voucher, expiresAt: null, paidAt: null })
      await repo.change(scope, id, { state: order.state, payBefore: new Date(ctx.now + TRANSFER_MS) })
      return null
    }
    const state = isOnline(provider) ? ('created' as const) : ('pending' as const)
    const values = { ...base, state, voucher: null, expiresAt: order.payBefore, paidAt: null }
    const payment = await pays.insertPayment(scope, values)
    if (isOnline(provider)) return { do: 'begin', payment, order }
    await pays.changePayment(scope, payment.id, { state, codeUrl: `thingwright-pay://simulated/${payment.no}` })
    return null
  }

  return async (ctx, id, input) => {
    const next = await deps.database.withTenant(ctx, scope => start(scope, ctx, id, input))
    if (next?.do === 'deliver') await deps.payments.deliver(id)
    // Outside of the transaction: a provider may take its time.
    if (next?.do === 'begin') await deps.online.begin(next.payment, next.order, input.form ?? 'code')
  }
}
