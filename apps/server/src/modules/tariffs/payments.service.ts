import type { BodyOf } from '@thingwright/contracts'
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
import { move } from '../wallets/index.ts'
import { ownId } from './accounts.service.ts'
import * as meters from './meters.repo.ts'
import * as repo from './payments.repo.ts'
import * as settings from './settings.repo.ts'
import { settle } from './settle.ts'

export interface MeterPaymentsService {
  settings(ctx: Ctx): Promise<MeterSettings>
  setSettings(ctx: Ctx, input: BodyOf<(typeof meterSettingsContract)['set']>): Promise<MeterSettings>
  /** What was paid offline; the same key is booked once. */
  record(ctx: Ctx, endUserId: string, input: BodyOf<(typeof meterPaymentsContract)['record']>): Promise<MeterPayment>
  /** @throws AppError meter_payment.offline */
  pay(ctx: Ctx, input: BodyOf<(typeof ownPaymentsContract)['pay']>): Promise<MeterPayment>
  /** @throws AppError meter_payment.not_found, meter_payment.state, meter_payment.offline */
  simulate(ctx: Ctx, id: string, outcome: 'paid' | 'failed'): Promise<MeterPayment>
}

export function createMeterPayments(deps: {
  database: Database
  /** After the commit: what was cut off can be restored. */
  onPaid(tenantId: string): void
}): MeterPaymentsService {
  const { database, onPaid } = deps

  /** The money is the end user's from here on, once for each payment. */
  async function book(scope: TenantScope, ctx: Ctx, payment: repo.PaymentData): Promise<void> {
    await move(scope, {
      tenantId: scope.tenantId,
      endUserId: payment.endUserId,
      kind: 'top_up',
      key: `meter-payment:${payment.id}`,
      cause: { kind: 'meter_payment', id: payment.id, no: payment.no },
      actor: ctx.actor,
      remark: payment.remark,
      entries: { available: payment.amountFen, payments: -payment.amountFen },
    })
    await repo.end(scope, payment.id, 'succeeded')
    await settle(scope, payment.endUserId)
    scope.afterCommit(() => onPaid(scope.tenantId))
  }

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
        if (fresh) await book(scope, ctx, payment)
        const after = (await repo.hold(scope, id))!
        await note(scope, ctx, 'record', after)
        return viewOf(after)
      }),

    pay: (ctx, { amountFen }) =>
      database.withTenant(ctx, async scope => {
        const endUserId = ownId(ctx)
        const { online } = await settings.find(scope, scope.tenantId)
        if (online === 'none') throw new AppError('meter_payment.offline')
        const id = newId()
        const byName = actorName(ctx.actor)
        await repo.insert(scope, scope.tenantId, { id, endUserId, way: online, amountFen, remark: '', byName })
        const payment = (await repo.hold(scope, id))!
        await note(scope, ctx, 'create', payment)
        return viewOf(payment)
      }),

    simulate: (ctx, id, outcome) =>
      database.withTenant(ctx, async scope => {
        const payment = await repo.hold(scope, id)
        if (!payment || payment.endUserId !== ownId(ctx)) throw new AppError('meter_payment.not_found')
        const { online } = await settings.find(scope, scope.tenantId)
        if (payment.way !== 'simulated' || online !== 'simulated') throw new AppError('meter_payment.offline')
        if (payment.state !== 'pending') throw new AppError('meter_payment.state')
        if (outcome === 'paid') await book(scope, ctx, payment)
        else await repo.end(scope, id, 'failed')
        const after = (await repo.hold(scope, id))!
        await note(scope, ctx, 'simulate', after)
        return viewOf(after)
      }),
  }
}

const viewOf = ({ createdAt, paidAt, ...row }: repo.PaymentData): MeterPayment => ({
  ...row,
  createdAt: createdAt.toISOString(),
  paidAt: paidAt?.toISOString() ?? null,
})
