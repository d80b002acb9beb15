import type { BodyOf } from '@thingwright/contracts'
import { PAY_MINUTES } from '@thingwright/contracts/money.words'
import type {
  MeterPayment,
  MeterSettings,
  meterPaymentsContract,
  meterSettingsContract,
  ownPaymentsContract,
} from '@thingwright/contracts/prepaid.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { ownId } from './accounts.service.ts'
import { bookPayment } from './book-payment.ts'
import type { MerchantPayments } from './merchant-payments.service.ts'
import type { MerchantsService } from './merchants.service.ts'
import * as meters from './meters.repo.ts'
import * as repo from './payments.repo.ts'
import * as settings from './settings.repo.ts'

export interface MeterPaymentsService {
  settings(ctx: Ctx): Promise<MeterSettings>
  setSettings(ctx: Ctx, input: BodyOf<(typeof meterSettingsContract)['set']>): Promise<MeterSettings>
  /** What was paid offline; the same key is booked once. */
  record(ctx: Ctx, endUserId: string, input: BodyOf<(typeof meterPaymentsContract)['record']>): Promise<MeterPayment>
  /** @throws AppError meter_payment.offline, order.provider_unavailable, payment.provider_failed */
  pay(ctx: Ctx, input: BodyOf<(typeof ownPaymentsContract)['pay']>): Promise<MeterPayment>
  /** @throws AppError meter_payment.not_found */
  payment(ctx: Ctx, id: string): Promise<MeterPayment>
  /** @throws AppError meter_payment.not_found, meter_payment.state, meter_payment.offline */
  simulate(ctx: Ctx, id: string, outcome: 'paid' | 'failed'): Promise<MeterPayment>
}

export function createMeterPayments(deps: {
  database: Database
  merchants: Pick<MerchantsService, 'kinds'>
  online: Pick<MerchantPayments, 'begin'>
  /** After the commit: what was cut off can be restored. */
  onPaid(tenantId: string): void
}): MeterPaymentsService {
  const { database, merchants, online, onPaid } = deps

  const note = (scope: TenantScope, ctx: Ctx, verb: string, p: repo.PaymentData) =>
    recordAudit(scope, ctx, {
      action: `meter_payment.${verb}`,
      objectType: 'meter_payment',
      objectId: p.id,
      objectName: p.no,
      after: { endUserId: p.endUserId, amountFen: p.amountFen, way: p.way, state: p.state, remark: p.remark },
    })

  return {
    settings: ctx => database.withTenant(ctx, scope => settings.find(scope, scope.tenantId)),

    setSettings: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const before = await settings.find(scope, scope.tenantId)
        if (!(await settings.set(scope, scope.tenantId, { ...before, ...input })))
          throw new AppError('version.conflict', { params: { current: before } })
        const { version: _, ...changed } = input
        await recordAudit(scope, ctx, {
          action: 'meter.settings',
          objectType: 'meter',
          objectId: scope.tenantId,
          before: Object.fromEntries(Object.keys(changed).map(key => [key, before[key as keyof MeterSettings]])),
          after: changed,
        })
        return settings.find(scope, scope.tenantId)
      }),

    record: (ctx, endUserId, { amountFen, remark, key }) =>
      database.withTenant(ctx, async scope => {
        if ((await meters.endUserName(scope, endUserId)) === undefined) throw new AppError('end_user.not_found')
        const id = key ?? newId()
        const byName = actorName(ctx.actor)
        const fresh = await repo.insert(scope, scope.tenantId, {
          id,
          endUserId,
          way: 'offline',
          amountFen,
          remark: remark.trim(),
          byName,
        })
        const payment = await repo.hold(scope, id)
        if (!payment || payment.endUserId !== endUserId) throw new AppError('meter_payment.not_found')
        if (fresh) await bookPayment(scope, ctx, payment, onPaid)
        const after = (await repo.hold(scope, id))!
        await note(scope, ctx, 'record', after)
        return viewOf(after)
      }),

    async pay(ctx, { amountFen, provider, form = 'code' }) {
      const kinds = await merchants.kinds(ctx.tenantId)
      const payment = await database.withTenant(ctx, async scope => {
        const endUserId = ownId(ctx)
        const { online: chosen } = await settings.find(scope, scope.tenantId)
        if (chosen === 'none') throw new AppError('meter_payment.offline')
        const way = chosen === 'merchant' ? (provider ?? kinds[0]) : chosen
        const isOffered = way !== undefined && (way === 'simulated' ? provider === undefined : kinds.includes(way))
        if (!isOffered || (form === 'page' && way !== 'alipay'))
          throw new AppError('order.provider_unavailable', { params: { provider: provider ?? '' } })
        const id = newId()
        const byName = actorName(ctx.actor)
        const expiresAt = new Date(ctx.now + PAY_MINUTES * 60_000)
        const ends = way === 'simulated' ? {} : { expiresAt }
        await repo.insert(scope, scope.tenantId, { id, endUserId, way, amountFen, remark: '', byName, ...ends })
        const made = (await repo.hold(scope, id))!
        await note(scope, ctx, 'create', made)
        return made
      })
      // Outside of the transaction: a provider may take its time.
      await online.begin(ctx, payment, form)
      return database.withTenant(ctx, async scope => viewOf((await repo.hold(scope, payment.id))!))
    },

    payment: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const payment = await repo.hold(scope, id)
        if (!payment || payment.endUserId !== ownId(ctx)) throw new AppError('meter_payment.not_found')
        return viewOf(payment)
      }),

    simulate: (ctx, id, outcome) =>
      database.withTenant(ctx, async scope => {
        const payment = await repo.hold(scope, id)
        if (!payment || payment.endUserId !== ownId(ctx)) throw new AppError('meter_payment.not_found')
        const settingsNow = await settings.find(scope, scope.tenantId)
        if (payment.way !== 'simulated' || settingsNow.online !== 'simulated')
          throw new AppError('meter_payment.offline')
        if (payment.state !== 'pending') throw new AppError('meter_payment.state')
        if (outcome === 'paid') await bookPayment(scope, ctx, payment, onPaid)
        else await repo.end(scope, id, 'failed')
        const after = (await repo.hold(scope, id))!
        await note(scope, ctx, 'simulate', after)
        return viewOf(after)
      }),
  }
}

const viewOf = ({ createdAt, paidAt, expiresAt, asks: _, said: _said, ...row }: repo.PaymentData): MeterPayment => ({
  ...row,
  createdAt: createdAt.toISOString(),
  paidAt: paidAt?.toISOString() ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
})
