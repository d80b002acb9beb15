import type { OrderRow as OrderRowView, OrderView, RefundView } from '@thingwright/contracts/purchase-orders.contract'
import { AppError } from '../../lib/errors.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import * as repo from './orders.repo.ts'
import * as pays from './payments.repo.ts'
import { paymentView } from './payments.service.ts'
import { waysFor } from './ways.ts'

/**
 * An order with its payments, refunds and events.
 * @throws AppError order.not_found
 */
export async function viewOrder(scope: Runner, id: string): Promise<OrderView> {
  const row = await repo.find(scope, id)
  if (!row) throw new AppError('order.not_found')
  return {
    ...rowView(row),
    ways: row.state === 'pending' ? await waysFor(scope, row.kind) : [],
    payments: (await pays.paymentsOf(scope, id)).map(paymentView),
    refunds: (await pays.refundsOf(scope, id)).map(refundView),
    events: (await repo.events(scope, id)).map(({ at, ...event }) => ({ ...event, at: at.toISOString() })),
  }
}

export const rowView = (row: repo.OrderRow): OrderRowView => ({
  id: row.id,
  no: row.no,
  kind: row.kind,
  state: row.state,
  items: row.items,
  amountFen: row.amountFen,
  discountFen: row.discountFen,
  payableFen: row.payableFen,
  paidFen: row.paidFen,
  refundedFen: row.refundedFen,
  invoiceState: row.invoiceState,
  buyerName: row.buyerName,
  remark: row.remark,
  fault: row.fault,
  payBefore: row.payBefore.toISOString(),
  createdAt: row.createdAt.toISOString(),
  paidAt: row.paidAt?.toISOString() ?? null,
  completedAt: row.completedAt?.toISOString() ?? null,
  endedAt: row.endedAt?.toISOString() ?? null,
  provider: row.provider,
  paymentState: row.paymentState,
  version: row.version,
})

export const refundView = (row: pays.RefundRow): RefundView => ({
  id: row.id,
  no: row.no,
  orderId: row.orderId,
  orderNo: row.orderNo,
  amountFen: row.amountFen,
  way: row.way,
  state: row.state,
  reason: row.reason,
  answer: row.answer,
  said: row.said,
  askedBy: row.askedBy,
  decidedBy: row.decidedBy,
  createdAt: row.createdAt.toISOString(),
  doneAt: row.doneAt?.toISOString() ?? null,
})
