import type { PlanSpec } from '@thingwright/contracts/catalogue.contract'
import { recordAudit } from '../../lib/audit.ts'
import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { byId } from './catalogue.repo.ts'
import { applyQuotas } from './fulfilment.ts'
import type { OnlinePayments } from './online.service.ts'
import { advance } from './order-events.ts'
import * as orders from './orders.repo.ts'
import * as pays from './payments.repo.ts'
import type { PaymentsService } from './payments.service.ts'
import * as plans from './plans.repo.ts'

/**
 * What time does to orders: those nobody paid are closed, those that were paid and not given are given, expansions end,
 * smaller plans begin. Safe beside other processes.
 */
export async function runOrders(
  database: Database,
  { payments, online }: { payments: PaymentsService; online: Pick<OnlinePayments, 'askDue'> },
  now: number,
): Promise<void> {
  const system = database.withSystemScope.bind(database)
  const at = new Date(now)
  // Before anything is closed: money may be there that nobody told us of.
  await online.askDue()
  for (const { id } of await system('money', scope => orders.overdue(scope, at)))
    await system('money', async scope => {
      const order = await orders.hold(scope, id)
      if (order?.state !== 'pending' || order.payBefore > at) return
      const ctx = systemContext(order.tenantId, 'orders', now)
      await advance(scope, order, 'expire', ctx.actor, { endedAt: at })
      await pays.closeOpenPayments(scope, id, at)
      await recordAudit(scope, ctx, {
        action: 'purchase_order.close',
        objectType: 'purchase_order',
        objectId: id,
        objectName: order.no,
      })
    })
  for (const { id } of await system('money', scope => orders.unfulfilled(scope, at))) await payments.deliver(id)
  for (const tenantId of await system('money', scope => plans.endDueExpansions(scope, at)))
    await system('money', scope => applyQuotas(scope, tenantId, now))
  for (const { tenantId } of await system('money', scope => plans.dueNext(scope, at)))
    await system('money', async scope => {
      const plan = await plans.findPlan(scope, tenantId, true)
      if (!plan?.nextItemId || plan.endsAt > at) return
      const next = await byId(scope, plan.nextItemId)
      if (!next) return plans.setNext(scope, tenantId, null)
      const spec = next.spec as PlanSpec
      // It begins with its end reached: it is to be renewed like any other, and takes nothing away that is there.
      await plans.storePlan(scope, {
        tenantId,
        itemId: next.id,
        sku: next.sku,
        name: next.name,
        ename: next.ename,
        months: spec.months,
        priceFen: next.priceFen,
        quotas: spec.quotas,
        startedAt: plan.endsAt,
        endsAt: plan.endsAt,
      })
      await applyQuotas(scope, tenantId, now)
    })
}
