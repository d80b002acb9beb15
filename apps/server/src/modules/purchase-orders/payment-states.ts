import type { PaymentState, RefundState } from '@thingwright/contracts/money.words'

/** What can happen to a payment. Documents draw their diagram from this table, and the database refuses anything else. */
export const PAYMENT_TRANSITIONS = {
  /** The provider has it; the payer can begin. */
  open: { from: ['created'], to: 'pending' },
  /** The provider did not take it, or said that it was not paid. */
  fail: { from: ['created', 'pending'], to: 'failed' },
  /** Another way was chosen, or its time is over. */
  close: { from: ['created', 'pending'], to: 'closed' },
  /** An operator has seen the transfer on the account. */
  confirm: { from: ['in_review'], to: 'pending' },
  refuse: { from: ['in_review'], to: 'refused' },
  /** The money is there, even where nobody waited for it any longer: then it goes to the balance. */
  succeed: { from: ['created', 'pending', 'in_review', 'failed', 'closed'], to: 'succeeded' },
} as const satisfies Record<string, { from: readonly PaymentState[]; to: PaymentState }>

/** What can happen to a refund. */
export const REFUND_TRANSITIONS = {
  approve: { from: ['requested'], to: 'processing' },
  refuse: { from: ['requested'], to: 'refused' },
  /** The money went back. */
  finish: { from: ['processing'], to: 'done' },
  /** The provider will not give it back. */
  fail: { from: ['processing'], to: 'failed' },
} as const satisfies Record<string, { from: readonly RefundState[]; to: RefundState }>
