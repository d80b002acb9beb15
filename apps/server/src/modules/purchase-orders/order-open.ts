import type { OrderItem } from '@thingwright/contracts/catalogue.contract'
import { PAY_MINUTES } from '@thingwright/contracts/money.words'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, actorName, type Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './orders.repo.ts'

/**
 * Makes an order of the caller's company, to be paid within 30 minutes, with its first event and its audit line.
 * @param order amountFen in fen
 * @returns the order's id
 */
export async function openOrder(
  scope: TenantScope,
  ctx: Ctx,
  order: { kind: repo.OrderRow['kind']; items: OrderItem[]; amountFen: number; remark: string },
  action: string,
): Promise<string> {
  const id = newId(ctx.now)
  await repo.insert(scope, {
    id,
    tenantId: scope.tenantId,
    ...order,
    buyerId: actorId(ctx.actor),
    buyerName: actorName(ctx.actor) ?? '',
    payBefore: new Date(ctx.now + PAY_MINUTES * 60_000),
  })
  const made = (await repo.find(scope, id))!
  await repo.insertEvent(scope, newId(ctx.now), made, {
    event: 'submit',
    from: null,
    to: 'pending',
    actorKind: ctx.actor.kind,
    actorName: actorName(ctx.actor) ?? '',
    remark: order.remark,
  })
  await recordAudit(scope, ctx, {
    action,
    objectType: 'purchase_order',
    objectId: id,
    objectName: made.no,
    after: { kind: order.kind, sku: order.items[0]?.sku, amountFen: order.amountFen },
  })
  return id
}
