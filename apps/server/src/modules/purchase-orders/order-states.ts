import type { OrderState } from '@thingwright/contracts/money.words'
import { AppError } from '../../lib/errors.ts'

/** What can happen to an order, and which states it leads from and to. Documents draw their diagram from this table. */
export const ORDER_TRANSITIONS = {
  /** The money is there. */
  pay: { from: ['pending'], to: 'paid' },
  /** By the buyer, before it was paid. */
  cancel: { from: ['pending'], to: 'cancelled' },
  /** Not paid in time. */
  expire: { from: ['pending'], to: 'closed' },
  begin: { from: ['paid', 'faulted'], to: 'processing' },
  complete: { from: ['processing'], to: 'completed' },
  /** What was bought could not be given; it is tried again. */
  fault: { from: ['processing', 'paid', 'faulted'], to: 'faulted' },
  ship: { from: ['processing'], to: 'shipped' },
  receive: { from: ['shipped'], to: 'completed' },
  request_refund: { from: ['paid', 'processing', 'faulted', 'completed', 'partly_refunded'], to: 'refund_requested' },
  approve_refund: { from: ['refund_requested'], to: 'refunding' },
  /** Back to where it was: the order remembers it. */
  refuse_refund: { from: ['refund_requested', 'refunding'], to: 'before' },
  refund_all: { from: ['refunding'], to: 'refunded' },
  refund_part: { from: ['refunding'], to: 'partly_refunded' },
  /** Part of the money went back before the goods were given: they are given all the same. */
  refund_early: { from: ['refunding'], to: 'before' },
} as const satisfies Record<string, { from: readonly OrderState[]; to: OrderState | 'before' }>

export type OrderEventName = keyof typeof ORDER_TRANSITIONS

/**
 * The state after an event.
 * @param before where a refused refund goes back to
 * @throws AppError order.state with {state, wanted}
 */
export function nextState(state: OrderState, event: OrderEventName, before: OrderState | null = null): OrderState {
  const { from, to } = ORDER_TRANSITIONS[event]
  if (!(from as readonly OrderState[]).includes(state))
    throw new AppError('order.state', { params: { state, wanted: from.join(' | ') } })
  return to === 'before' ? (before ?? 'completed') : to
}
