import { type Actor, actorName } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { nextState, type OrderEventName } from './order-states.ts'
import * as repo from './orders.repo.ts'

/**
 * Brings a held order to its next state and notes who did it.
 * @returns the order as it is then
 * @throws AppError order.state
 */
export async function advance(
  scope: Runner,
  order: repo.OrderRow,
  event: OrderEventName,
  actor: Actor,
  change: Omit<repo.OrderChange, 'state'> = {},
  remark = '',
): Promise<repo.OrderRow> {
  const state = nextState(order.state, event, order.stateBefore)
  await repo.change(scope, order.id, { stateBefore: order.stateBefore, ...change, state })
  await repo.insertEvent(scope, newId(), order, {
    event,
    from: order.state,
    to: state,
    actorKind: actor.kind,
    actorName: actorName(actor) ?? '',
    remark,
  })
  return (await repo.find(scope, order.id))!
}
