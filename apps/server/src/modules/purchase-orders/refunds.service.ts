import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { move, takeBackBatches } from '../wallets/index.ts'
import { bothLogs } from './both-logs.ts'
import { takeBack } from './fulfilment.ts'
import { advance } from './order-events.ts'
import * as orders from './orders.repo.ts'
import * as repo from './payments.repo.ts'

export interface RefundsService {
  cases(open: boolean, limit: number): Promise<repo.RefundRow[]>
  /** @throws AppError approval.not_found, approval.decided, approval.reason_missing */
  decide(ctx: Ctx, id: string, decision: { accept: boolean; reason: string }): Promise<repo.RefundRow>
}

/** Money that goes back: to the balance, or the way it came. */
export function createRefundsService({ database }: { database: Database }): RefundsService {
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)

  /** Moves the money and takes back what it had bought, when all of it goes. */
  async function pay(scope: SystemScope, ctx: Ctx, refund: repo.RefundRow, order: orders.OrderRow): Promise<void> {
    const cause = { kind: 'purchase_order', id: order.id, no: order.no }
    const base = { tenantId: order.tenantId, key: `refund:${refund.id}`, cause, actor: ctx.actor, remark: refund.no }
    const fen = refund.amountFen
    if (order.kind === 'top_up')
      await move(scope, { ...base, kind: 'refund', entries: { frozen: -fen, payments: fen } })
    else if (refund.way === 'balance')
      await move(scope, { ...base, kind: 'refund', entries: { income: -fen, available: fen } })
    else await move(scope, { ...base, kind: 'refund', entries: { income: -fen, payments: fen } })
    const refundedFen = order.refundedFen + fen
    const all = refundedFen >= order.paidFen
    if (all) await takeBack(scope, order, takeBackBatches, ctx.now)
    await advance(
      scope,
      order,
      all ? 'refund_all' : 'refund_part',
      ctx.actor,
      { refundedFen, endedAt: new Date(ctx.now), stateBefore: null },
      refund.no,
    )
    await repo.changeRefund(scope, refund.id, { state: 'done', doneAt: new Date(ctx.now) })
  }

  /** An invoice says that the money was paid: it is reversed before the money goes back. @throws AppError order.invoiced */
  async function refuseInvoiced(scope: SystemScope, order: orders.OrderRow, refund: repo.RefundRow): Promise<void> {
    if (order.paidFen - order.refundedFen - refund.amountFen < order.invoicedFen) throw new AppError('order.invoiced')
    const leaves = order.kind === 'top_up' || refund.way === 'origin'
    if (leaves && (await repo.paidBeyondInvoices(scope, order.tenantId)) < 0) throw new AppError('order.invoiced')
  }

  return {
    cases: (open, limit) => system(scope => repo.refundCases(scope, open, limit)),
    decide: (ctx, id, { accept, reason }) =>
      system(async scope => {
        const refund = await repo.findRefund(scope, id, true)
        if (!refund) throw new AppError('approval.not_found')
        if (refund.state !== 'requested') throw new AppError('approval.decided')
        if (!accept && !reason.trim())
          throw new AppError('approval.reason_missing', { fields: { reason: { code: 'approval.reason_missing' } } })
        const order = (await orders.hold(scope, refund.orderId))!
        const at = new Date(ctx.now)
        const decided = { answer: reason.trim() || null, decidedBy: actorName(ctx.actor) ?? '', decidedAt: at }
        if (accept) {
          await refuseInvoiced(scope, order, refund)
          await repo.changeRefund(scope, id, { state: 'processing', ...decided })
          const refunding = await advance(scope, order, 'approve_refund', ctx.actor, {}, refund.no)
          await pay(scope, ctx, refund, { ...refunding, stateBefore: order.stateBefore })
        } else {
          await repo.changeRefund(scope, id, { state: 'refused', ...decided, doneAt: at })
          if (order.kind === 'top_up')
            await move(scope, {
              tenantId: order.tenantId,
              kind: 'release',
              key: `refund-release:${id}`,
              cause: { kind: 'purchase_order', id: order.id, no: order.no },
              actor: ctx.actor,
              remark: reason.trim(),
              entries: { frozen: -refund.amountFen, available: refund.amountFen },
            })
          await advance(scope, order, 'refuse_refund', ctx.actor, { stateBefore: null }, reason.trim())
        }
        await bothLogs(scope, ctx, order.tenantId, {
          action: 'operator.decide',
          objectType: 'purchase_order',
          objectId: order.id,
          objectName: order.no,
          after: { accept, reason: reason.trim(), amountFen: refund.amountFen },
        })
        return (await repo.findRefund(scope, id))!
      }),
  }
}
