import type { OnlineProvider, PayForm } from '@thingwright/contracts/money.words'
import { recordAudit } from '../../lib/audit.ts'
import { systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import * as asks from './asks.repo.ts'
import type { OrderRow } from './orders.repo.ts'
import { NoticeError, type PaymentClient, PaymentError, type RawNotice, type Trade } from './payment.port.ts'
import * as repo from './payments.repo.ts'
import type { PaymentsService } from './payments.service.ts'
import type { ProvidersService } from './providers.service.ts'
import type { RefundsService } from './refunds.service.ts'
import { isOnline } from './ways.ts'

/** Payments at WeChat Pay and Alipay: begun, told of, asked about, closed. */
export interface OnlinePayments {
  /** @throws AppError payment.provider_failed, order.provider_unavailable */
  begin(payment: repo.PaymentRow, order: OrderRow, form: PayForm): Promise<void>
  /** Something came that says it is of a provider. @throws AppError payment.signature_invalid, .not_found, .amount_differs */
  take(kind: OnlineProvider, notice: RawNotice): Promise<void>
  /** Asks the provider how a payment stands, and does what follows. */
  ask(paymentId: string): Promise<void>
  /** What is due to be asked. */
  askDue(): Promise<void>
}

export interface OnlineDeps {
  database: Database
  logger: Logger
  providers: Pick<ProvidersService, 'client' | 'notifyUrl'>
  payments: PaymentsService
  refunds: Pick<RefundsService, 'ask'>
  addresses(): { httpUrl: string }
  now(): number
}

/** A notice that did not come is asked for after this time, then again. */
const FIRST_ASK_MS = 30_000
const PAUSES_MS = [30_000, 30_000, 60_000, 60_000, 120_000, 300_000]
/** A provider that takes no order to close may take money until it ends; a little longer, for clocks that differ. */
const AFTER_END_MS = 120_000
/** Questions that are under way at the same time. */
const AT_ONCE = 8
/** Whatever was not settled in this time is left to people. */
const GIVE_UP_MS = 3 * 86_400_000

export function createOnlinePayments(deps: OnlineDeps): OnlinePayments {
  const { database, logger, providers, payments, now } = deps
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)
  const pause = (tries: number) => new Date(now() + PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]!)

  async function clientOf(kind: OnlineProvider): Promise<PaymentClient> {
    const client = await providers.client(kind)
    if (!client) throw new AppError('order.provider_unavailable', { params: { provider: kind } })
    return client
  }

  /** @throws AppError payment.amount_differs */
  async function paid(id: string, trade: Extract<Trade, { state: 'paid' }>): Promise<void> {
    const payment = (await system(scope => repo.findPayment(scope, id)))!
    const ctx = systemContext(payment.tenantId, 'payments', now())
    try {
      await payments.succeeded(id, { amountFen: trade.amountFen, providerNo: trade.providerNo }, ctx.actor)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'payment.amount_differs') throw error
      await system(async scope => {
        if (!(await asks.noteDisputed(scope, id, error.code))) return
        await recordAudit(scope, ctx, {
          action: 'payment.mismatch',
          objectType: 'payment',
          objectId: id,
          objectName: payment.no,
          after: { expectedFen: payment.amountFen, saidFen: trade.amountFen },
          result: 'failed',
        })
      })
      throw error
    }
  }

  async function ask(id: string): Promise<void> {
    const payment = await system(scope => repo.findPayment(scope, id))
    if (!payment || payment.state === 'succeeded' || !isOnline(payment.provider)) return
    const client = await providers.client(payment.provider)
    const isOver = now() - payment.createdAt.getTime() > GIVE_UP_MS
    if (!client || isOver) return system(scope => asks.askPaymentAt(scope, id, null))
    try {
      const trade = await client.query(payment.no)
      if (trade.state === 'paid') return await paid(id, trade)
      if (trade.state === 'closed') return await system(scope => asks.noteEnded(scope, id))
      const isOpenHere = payment.state === 'pending' || payment.state === 'created'
      const ends = payment.expiresAt?.getTime() ?? 0
      if (isOpenHere && ends > now()) return await system(scope => asks.askPaymentAt(scope, id, pause(payment.asks)))
      await client.close(payment.no)
      // It may not have known of it and so have closed nothing: asked once more when nobody can pay any longer.
      const isKnown = trade.state === 'open'
      if (isKnown || now() > ends + AFTER_END_MS) await system(scope => asks.noteEnded(scope, id))
      else await system(scope => asks.askPaymentAt(scope, id, new Date(ends + AFTER_END_MS + 1)))
    } catch (error) {
      if (error instanceof AppError) {
        logger.error({ err: error, payment: id }, 'a payment could not be booked')
        // The provider itself says another amount: people must look at it.
        if (error.code === 'payment.amount_differs') await system(scope => asks.askPaymentAt(scope, id, null))
        return
      }
      if (!(error instanceof PaymentError)) throw error
      // Paid in the very moment in which it was to be closed, or no answer: asked again.
      await system(scope => asks.askPaymentAt(scope, id, pause(payment.asks)))
    }
  }

  return {
    ask,
    async begin(payment, order, form) {
      const kind = payment.provider
      if (!isOnline(kind)) return
      const client = await clientOf(kind)
      try {
        const opened = await client.open({
          no: payment.no,
          amountFen: payment.amountFen,
          subject: order.items[0]?.name ?? order.no,
          form,
          expiresAt: payment.expiresAt ?? order.payBefore,
          notifyUrl: providers.notifyUrl(kind),
          returnUrl: `${deps.addresses().httpUrl}/cost/order/detail?id=${order.id}`,
        })
        await system(scope => asks.noteOpened(scope, payment.id, opened, new Date(now() + FIRST_ASK_MS)))
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error
        // It may have been opened all the same: then it is closed there.
        const askAt = error.again ? new Date(now() + FIRST_ASK_MS) : null
        await system(scope => asks.noteNotOpened(scope, payment.id, error.message, askAt))
        throw new AppError('payment.provider_failed', { params: { reason: error.message }, cause: error })
      }
    },

    async take(kind, raw) {
      const client = await providers.client(kind)
      if (!client) throw new AppError('payment.signature_invalid')
      let notice: Awaited<ReturnType<PaymentClient['read']>>
      try {
        notice = await client.read(raw)
      } catch (error) {
        if (!(error instanceof NoticeError)) throw error
        logger.warn({ provider: kind, reason: error.message }, 'a notice of a payment was rejected')
        throw new AppError('payment.signature_invalid', { cause: error })
      }
      if (!notice) return
      if (notice.about === 'refund') {
        const id = await system(scope => asks.refundByNo(scope, kind, notice.no))
        if (id) await deps.refunds.ask(id)
        return
      }
      const id = await system(scope => asks.paymentByNo(scope, kind, notice.no))
      if (!id) throw new AppError('payment.not_found')
      if (notice.trade.state === 'paid') await paid(id, notice.trade)
      else await ask(id)
    },

    async askDue() {
      const at = new Date(now())
      const due = [
        ...(await system(scope => asks.duePayments(scope, at))).map(id => () => ask(id)),
        ...(await system(scope => asks.dueRefunds(scope, at))).map(id => () => deps.refunds.ask(id)),
      ]
      // Some at once: a provider that does not answer must not hold up what else time does to orders.
      const worker = async () => {
        for (let next = due.shift(); next; next = due.shift()) await next()
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
    },
  }
}

/** Where nobody pays online: the demo. */
export const NO_ONLINE: Pick<OnlinePayments, 'begin'> = { begin: async () => {} }
