import type { OnlineProvider, PayForm } from '@thingwright/contracts/money.words'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { NoticeError, type PaymentClient, PaymentError, type RawNotice, type Trade } from '../purchase-orders/index.ts'
import { bookPayment } from './book-payment.ts'
import type { MerchantsService } from './merchants.service.ts'
import * as repo from './payments.repo.ts'

/** Payments of end users through the merchant account of their company: opens, takes notifications, queries, closes. */
export interface MerchantPayments {
  /** @throws AppError payment.provider_failed, order.provider_unavailable */
  begin(ctx: Ctx, payment: repo.PaymentData, form: PayForm): Promise<void>
  /** Takes a notification of a payment provider. @throws AppError payment.signature_invalid, .not_found, .amount_differs */
  take(kind: OnlineProvider, tenantId: string, notice: RawNotice): Promise<void>
  /** Queries payments whose query is due. */
  askDue(now: number): Promise<void>
}

export interface MerchantPaymentsDeps {
  database: Database
  logger: Logger
  merchants: MerchantsService
  addresses(): { httpUrl: string }
  now(): number
  onPaid(tenantId: string): void
}

/** Times after which a payment without a notification is queried, ms. */
const PAUSES_MS = [5_000, 10_000, 30_000, 60_000, 120_000, 300_000]
/** A provider that takes no order to close may take money until it ends; a little longer, for clocks that differ. */
const AFTER_END_MS = 120_000
/** Payments that are open longer are left to the staff, ms. */
const GIVE_UP_MS = 3 * 86_400_000

export function createMerchantPayments(deps: MerchantPaymentsDeps): MerchantPayments {
  const { database, logger, merchants, now } = deps
  const inCompany = <T>(tenantId: string, work: (scope: TenantScope, ctx: Ctx) => Promise<T>) => {
    const ctx = systemContext(tenantId, 'metering', now())
    return database.withTenant(ctx, scope => work(scope, ctx))
  }
  const later = (tenantId: string, { id, asks }: repo.PaymentData) =>
    inCompany(tenantId, scope =>
      repo.askAt(scope, id, new Date(now() + PAUSES_MS[Math.min(asks, PAUSES_MS.length - 1)]!)),
    )

  /** @throws AppError payment.amount_differs */
  async function paid(tenantId: string, id: string, trade: Extract<Trade, { state: 'paid' }>): Promise<void> {
    const differs = await inCompany(tenantId, async (scope, ctx) => {
      const payment = await repo.hold(scope, id)
      if (!payment) throw new AppError('payment.not_found')
      if (payment.state === 'succeeded') return false
      if (payment.amountFen !== trade.amountFen) {
        if (payment.said === 'payment.amount_differs') return true
        // The staff has to look at it, so it is not queried again.
        await repo.note(scope, id, { said: 'payment.amount_differs', askAt: null })
        await recordAudit(scope, ctx, {
          action: 'meter_payment.mismatch',
          objectType: 'meter_payment',
          objectId: id,
          objectName: payment.no,
          after: { expectedFen: payment.amountFen, saidFen: trade.amountFen },
          result: 'failed',
        })
        return true
      }
      await bookPayment(scope, ctx, payment, deps.onPaid)
      await repo.setProviderNo(scope, id, trade.providerNo)
      return false
    })
    if (differs) throw new AppError('payment.amount_differs')
  }

  async function ask(tenantId: string, id: string): Promise<void> {
    const payment = await inCompany(tenantId, scope => repo.hold(scope, id))
    if (!payment || payment.state === 'succeeded' || !isMerchant(payment.way)) return
    const client = await merchants.client(tenantId, payment.way)
    const isOver = now() - payment.createdAt.getTime() > GIVE_UP_MS
    if (!client || isOver) {
      await inCompany(tenantId, scope => repo.askAt(scope, id, null))
      return
    }
    const close = () =>
      inCompany(tenantId, async scope => {
        const held = await repo.hold(scope, id)
        if (held?.state === 'pending') await repo.end(scope, id, 'closed')
        else await repo.askAt(scope, id, null)
      })
    try {
      const trade = await client.query(payment.no)
      if (trade.state === 'paid') return await paid(tenantId, id, trade)
      if (trade.state === 'closed') return await close()
      const ends = payment.expiresAt?.getTime() ?? 0
      if (ends > now()) {
        await later(tenantId, payment)
        return
      }
      await client.close(payment.no)
      // The provider may not have known the order and closed nothing, so it is queried once more after it can no longer be paid.
      if (trade.state === 'open' || now() > ends + AFTER_END_MS) await close()
      else await inCompany(tenantId, scope => repo.askAt(scope, id, new Date(ends + AFTER_END_MS + 1)))
    } catch (error) {
      if (error instanceof AppError) {
        logger.error({ err: error, payment: id }, 'a payment of an end user could not be booked')
        return
      }
      if (!(error instanceof PaymentError)) throw error
      await later(tenantId, payment)
    }
  }

  return {
    async begin(ctx, payment, form) {
      if (!isMerchant(payment.way)) return
      const kind = payment.way
      const client = await merchants.client(ctx.tenantId, kind)
      if (!client) throw new AppError('order.provider_unavailable', { params: { provider: kind } })
      try {
        const opened = await client.open({
          no: payment.no,
          amountFen: payment.amountFen,
          subject: payment.no,
          form,
          expiresAt: payment.expiresAt!,
          notifyUrl: merchants.notifyUrl(ctx.tenantId, kind),
          returnUrl: `${deps.addresses().httpUrl}/manage/user/center/info?tab=ownMetering`,
        })
        await inCompany(ctx.tenantId, scope => repo.opened(scope, payment.id, opened, new Date(now() + PAUSES_MS[0]!)))
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error
        // The order may exist at the provider all the same; then it is queried and closed there.
        await inCompany(ctx.tenantId, async scope => {
          await repo.note(scope, payment.id, {
            said: error.message,
            askAt: error.again ? new Date(now() + PAUSES_MS[0]!) : null,
          })
          if (!error.again) await repo.end(scope, payment.id, 'failed')
        })
        throw new AppError('payment.provider_failed', { params: { reason: error.message }, cause: error })
      }
    },

    async take(kind, tenantId, raw) {
      const client: PaymentClient | null = await merchants.client(tenantId, kind)
      if (!client) throw new AppError('payment.signature_invalid')
      const notice = await client.read(raw).catch((error: unknown) => {
        if (!(error instanceof NoticeError)) throw error
        logger.warn({ provider: kind, tenantId, reason: error.message }, 'a notice of a payment was rejected')
        throw new AppError('payment.signature_invalid', { cause: error })
      })
      if (notice?.about !== 'payment') return
      const id = await inCompany(tenantId, scope => repo.byNo(scope, tenantId, kind, notice.no))
      if (!id) throw new AppError('payment.not_found')
      if (notice.trade.state === 'paid') await paid(tenantId, id, notice.trade)
      else await ask(tenantId, id)
    },

    async askDue(at) {
      const due = await database.withSystemScope('money', scope => repo.due(scope, new Date(at)))
      for (const { id, tenantId } of due) await ask(tenantId, id)
    },
  }
}

const isMerchant = (way: repo.PaymentData['way']): way is OnlineProvider => way === 'wechat' || way === 'alipay'
