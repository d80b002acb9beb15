import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { Mismatch, moneyDeskContract } from '@thingwright/contracts/purchase-orders.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { findWallet, holdWallet, insertBatch, move, setCredit, unitsOf } from '../wallets/index.ts'
import { bothLogs } from './both-logs.ts'
import * as repo from './desk.repo.ts'
import { rowView } from './order-views.ts'
import * as orders from './orders.repo.ts'
import { orderFilter, positionOf } from './orders.service.ts'
import * as pays from './payments.repo.ts'
import type { PaymentsService } from './payments.service.ts'
import { addMonths } from './pricing.ts'

type Contract = typeof moneyDeskContract

export interface MoneyDesk {
  orders(ctx: Ctx, input: QueryOf<Contract['orders']>): Promise<ResponseOf<Contract['orders']>>
  retry(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  wallet(ctx: Ctx, companyId: string): Promise<ResponseOf<Contract['wallet']>>
  credit(ctx: Ctx, companyId: string, input: BodyOf<Contract['credit']>): Promise<ResponseOf<Contract['credit']>>
  reconciliation(now: number): Promise<{ at: string; items: Mismatch[] }>
  transfers(open: boolean, limit: number): Promise<pays.TransferRow[]>
  transfer(id: string): Promise<pays.TransferRow | undefined>
  /** @throws AppError approval.not_found, approval.decided, approval.reason_missing */
  decideTransfer(ctx: Ctx, id: string, decision: { accept: boolean; reason: string }): Promise<pays.TransferRow>
}

/** What those who run the platform do with the money of companies. */
export function createMoneyDesk({ database, payments }: { database: Database; payments: PaymentsService }): MoneyDesk {
  return {
    orders: (_ctx, input) =>
      database.withSystemScope('money', async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, orders.ORDER_SORTS, '-createdAt')
        const filter = orderFilter(input, input.tenantId ? { tenantId: input.tenantId } : {})
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...orders.ALL_ORDERS.page({ filter, sort, after: positionOf(input.cursor), limit: limit + 1 })),
        )
        const total = input.total === '1' ? (await scope.run(...orders.ALL_ORDERS.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(row => ({ ...rowView(row), tenantId: row.tenantId, companyName: row.companyName })),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      }),

    async retry(ctx, id) {
      const order = await database.withSystemScope('money', async scope => {
        const row = await orders.find(scope, id)
        if (!row) throw new AppError('order.not_found')
        if (row.state !== 'faulted')
          throw new AppError('order.state', { params: { state: row.state, wanted: 'faulted' } })
        await recordAudit(scope, ctx, {
          action: 'purchase_order.retry',
          objectType: 'purchase_order',
          objectId: id,
          objectName: row.no,
        })
        return row
      })
      return { ok: await payments.deliver(order.id) }
    },

    wallet: (ctx, companyId) =>
      database.withSystemScope('money', async scope => {
        if (!(await repo.companyById(scope, companyId))) throw new AppError('operator.company_not_found')
        const wallet = await findWallet(scope, companyId)
        return {
          availableFen: wallet?.availableFen ?? 0,
          frozenFen: wallet?.frozenFen ?? 0,
          creditFen: wallet?.creditFen ?? 0,
          units: await unitsOf(scope, companyId, ctx.now),
        }
      }),

    credit: (ctx, companyId, input) =>
      database.withSystemScope('money', async scope => {
        const company = await repo.companyById(scope, companyId)
        if (!company) throw new AppError('operator.company_not_found')
        const wallet = await holdWallet(scope, companyId, newId(ctx.now))
        const reason = input.reason.trim()
        const base = {
          tenantId: companyId,
          cause: { kind: 'operator', id: ctx.requestId },
          actor: ctx.actor,
          remark: reason,
        }
        if (input.giftFen)
          await move(scope, {
            ...base,
            kind: 'gift',
            key: `gift:${newId(ctx.now)}`,
            entries: { gifts: -input.giftFen, available: input.giftFen },
          })
        if (input.adjustFen)
          await move(scope, {
            ...base,
            kind: 'adjust',
            key: `adjust:${newId(ctx.now)}`,
            entries: { adjustments: -input.adjustFen, available: input.adjustFen },
          })
        if (input.creditFen !== undefined) await setCredit(scope, wallet.id, input.creditFen)
        const expiresAt = new Date(addMonths(ctx.now, input.unitMonths ?? 12))
        for (const kind of ['sms', 'voice'] as const) {
          const units = input[kind]
          if (units)
            await insertBatch(scope, {
              id: newId(ctx.now),
              tenantId: companyId,
              kind,
              units,
              gift: true,
              orderId: null,
              orderNo: '',
              expiresAt,
            })
        }
        const { reason: _, ...after } = input
        await bothLogs(scope, ctx, companyId, {
          action: 'wallet.correct',
          objectType: 'wallet',
          objectId: wallet.id,
          objectName: company.name,
          after: { ...after, reason },
        })
        const now = (await findWallet(scope, companyId))!
        return { availableFen: now.availableFen, creditFen: now.creditFen }
      }),

    reconciliation: now =>
      database.withSystemScope('money', async scope => ({
        at: new Date(now).toISOString(),
        items: await repo.mismatches(scope),
      })),

    transfers: (open, limit) => database.withSystemScope('money', scope => pays.transfers(scope, open, limit)),

    transfer: id => database.withSystemScope('money', scope => pays.transfer(scope, id)),

    async decideTransfer(ctx, id, { accept, reason }) {
      const transfer = await database.withSystemScope('money', async scope => {
        const row = await pays.transfer(scope, id)
        if (!row) throw new AppError('approval.not_found')
        // Before its payment, here as everywhere.
        const order = (await orders.hold(scope, row.orderId))!
        const held = (await pays.findPayment(scope, id, true))!
        if (held.state !== 'in_review') throw new AppError('approval.decided')
        if (!accept && !reason.trim())
          throw new AppError('approval.reason_missing', { fields: { reason: { code: 'approval.reason_missing' } } })
        const decided = {
          decidedBy: actorName(ctx.actor) ?? '',
          decidedAt: new Date(ctx.now),
          reason: reason.trim() || null,
        }
        await pays.changePayment(scope, id, { state: accept ? 'pending' : 'refused', ...decided })
        if (!accept) {
          // The order can be paid another way, for as long as any other.
          if (order.state === 'pending')
            await orders.change(scope, order.id, { state: order.state, payBefore: new Date(ctx.now + 30 * 60_000) })
        }
        await bothLogs(scope, ctx, row.tenantId, {
          action: 'operator.decide',
          objectType: 'payment',
          objectId: id,
          objectName: row.no,
          after: { accept, reason: reason.trim(), amountFen: row.amountFen },
        })
        return row
      })
      if (accept)
        await payments.succeeded(
          id,
          { amountFen: transfer.amountFen, providerNo: transfer.voucher?.number ?? transfer.no },
          ctx.actor,
        )
      return (await database.withSystemScope('money', scope => pays.transfer(scope, id)))!
    },
  }
}
