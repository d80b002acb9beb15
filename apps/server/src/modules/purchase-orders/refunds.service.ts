import type { OrderState } from '@thingwright/contracts/money.words'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { move, takeBackBatches } from '../wallets/index.ts'
import * as asks from './asks.repo.ts'
import { bothLogs } from './both-logs.ts'
import { takeBack } from './fulfilment.ts'
import { advance } from './order-events.ts'
import * as orders from './orders.repo.ts'
import { PaymentError, type RefundTrade } from './payment.port.ts'
import * as repo from './payments.repo.ts'
import type { ProvidersService } from './providers.service.ts'
import { isOnline } from './ways.ts'

export interface RefundsService {
  cases(open: boolean, limit: number): Promise<repo.RefundRow[]>
  /** @throws AppError approval.not_found, approval.decided, approval.reason_missing */
  decide(ctx: Ctx, id: string, decision: { accept: boolean; reason: string }): Promise<repo.RefundRow>
  /** Asks the provider how a refund stands, and for the refund itself where it has not heard of it. */
  ask(id: string): Promise<void>
}

export interface RefundsDeps {
  database: Database
  providers: Pick<ProvidersService, 'client' | 'notifyUrl'>
  now(): number
}

/** States of an order whose goods are still to be given. */
const UNGIVEN: ReadonlySet<OrderState | null> = new Set<OrderState>(['paid', 'processing', 'faulted'])
/** Pauses between two questions about a refund. */
const PAUSES_MS = [30_000, 60_000, 300_000, 900_000, 3_600_000]

/** Money that goes back: to the balance, or the way it came. */
export function createRefundsService({ database, providers, now }: RefundsDeps): RefundsService {
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
    const isEarly = !all && UNGIVEN.has(order.stateBefore)
    if (all) await takeBack(scope, order, takeBackBatches, ctx.now)
    await advance(
      scope,
      order,
      all ? 'refund_all' : isEarly ? 'refund_early' : 'refund_part',
      ctx.actor,
      { refundedFen, stateBefore: null, ...(isEarly ? {} : { endedAt: new Date(ctx.now) }) },
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

  /** The provider gave the money back: the books say so, once. */
  const finish = (id: string, providerNo: string | null) =>
    system(async scope => {
      const refund = await repo.findRefund(scope, id, true)
      if (refund?.state !== 'processing') return
      const order = (await orders.hold(scope, refund.orderId))!
      await asks.noteRefundEnded(scope, id, '', providerNo)
      await pay(scope, systemContext(refund.tenantId, 'payments', now()), refund, order)
    })

  /** It will not give it back: the order is what it was, and money that was held is free again. */
  const fail = (id: string, said: string) =>
    system(async scope => {
      const refund = await repo.findRefund(scope, id, true)
      if (refund?.state !== 'processing') return
      const order = (await orders.hold(scope, refund.orderId))!
      const ctx = systemContext(refund.tenantId, 'payments', now())
      await repo.changeRefund(scope, id, { state: 'failed', doneAt: new Date(now()) })
      await asks.noteRefundEnded(scope, id, said, null)
      await release(scope, ctx, order, refund, said)
      await advance(scope, order, 'refuse_refund', ctx.actor, { stateBefore: null }, said)
      await recordAudit(scope, ctx, {
        action: 'purchase_order.refund',
        objectType: 'purchase_order',
        objectId: order.id,
        objectName: order.no,
        after: { amountFen: refund.amountFen, way: refund.way, said },
        result: 'failed',
      })
    })

  async function release(scope: SystemScope, ctx: Ctx, order: orders.OrderRow, refund: repo.RefundRow, remark: string) {
    if (order.kind !== 'top_up') return
    await move(scope, {
      tenantId: order.tenantId,
      kind: 'release',
      key: `refund-release:${refund.id}`,
      cause: { kind: 'purchase_order', id: order.id, no: order.no },
      actor: ctx.actor,
      remark,
      entries: { frozen: -refund.amountFen, available: refund.amountFen },
    })
  }

  async function ask(id: string): Promise<void> {
    const refund = await system(scope => repo.findRefund(scope, id))
    if (refund?.state !== 'processing' || !isOnline(refund.provider)) return
    const payment = (await system(scope => repo.findPayment(scope, refund.paymentId!)))!
    const later = (said: string) => {
      const at = new Date(now() + PAUSES_MS[Math.min(refund.asks, PAUSES_MS.length - 1)]!)
      return system(scope => asks.askRefundAt(scope, id, at, said))
    }
    const client = await providers.client(refund.provider)
    if (!client) return later('payment_provider.not_found')
    const numbers = { paymentNo: payment.no, refundNo: refund.no }
    try {
      let trade: RefundTrade = refund.asks === 0 ? NOT_ASKED : await client.queryRefund(numbers)
      // The same number again is the same refund: it cannot be made twice.
      if (trade.state === 'unknown')
        trade = await client.refund({
          ...numbers,
          amountFen: refund.amountFen,
          totalFen: payment.amountFen,
          reason: refund.reason,
          notifyUrl: providers.notifyUrl(refund.provider),
        })
      if (trade.amountFen !== null && trade.amountFen !== refund.amountFen)
        return await later(`payment.amount_differs ${trade.amountFen}`)
      if (trade.state === 'done') await finish(id, trade.providerNo)
      else if (trade.state === 'failed') await fail(id, trade.said)
      else await later('')
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error
      if (error.again) await later(error.message)
      else await fail(id, error.message)
    }
  }

  return {
    ask,
    cases: (open, limit) => system(scope => repo.refundCases(scope, open, limit)),
    async decide(ctx, id, { accept, reason }) {
      await system(async scope => {
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
          // A provider is asked when this stands written; whatever happens then, the question is not lost.
          if (refund.way === 'origin' && isOnline(refund.provider)) await asks.dueNow(scope, id, at)
          else await pay(scope, ctx, refund, { ...refunding, stateBefore: order.stateBefore })
        } else {
          await repo.changeRefund(scope, id, { state: 'refused', ...decided, doneAt: at })
          await release(scope, ctx, order, refund, reason.trim())
          await advance(scope, order, 'refuse_refund', ctx.actor, { stateBefore: null }, reason.trim())
        }
        await bothLogs(scope, ctx, order.tenantId, {
          action: 'operator.decide',
          objectType: 'purchase_order',
          objectId: order.id,
          objectName: order.no,
          after: { accept, reason: reason.trim(), amountFen: refund.amountFen },
        })
      })
      await ask(id)
      return (await system(scope => repo.findRefund(scope, id)))!
    },
  }
}

const NOT_ASKED: RefundTrade = { state: 'unknown', amountFen: null, providerNo: null, said: '' }
