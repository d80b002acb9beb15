import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { move } from '../wallets/index.ts'
import * as repo from './payments.repo.ts'
import { settle } from './settle.ts'

/** The money is the end user's from here on, once for each payment. @param onPaid after the commit */
export async function bookPayment(
  scope: TenantScope,
  ctx: Ctx,
  payment: repo.PaymentData,
  onPaid: (tenantId: string) => void,
): Promise<void> {
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
