import type { CutoffState, METER_PAYMENT_STATES } from '@thingwright/contracts/tariffs.words'

/** What can happen to a cut-off. Documents draw their diagram from this table, and the database refuses anything else. */
export const CUTOFF_TRANSITIONS = {
  /** Paid within the waiting time. */
  cancel: { from: ['noticed'], to: 'cancelled' },
  cut: { from: ['noticed', 'cut_failed'], to: 'cutting' },
  /** The device reported it. */
  read_back_cut: { from: ['cutting'], to: 'cut' },
  miss_cut: { from: ['cutting'], to: 'cut_failed' },
  /** Paid: also where a cut-off that failed may have done its work all the same. */
  restore: { from: ['cutting', 'cut', 'cut_failed', 'restore_failed'], to: 'restoring' },
  read_back_restored: { from: ['restoring'], to: 'restored' },
  miss_restored: { from: ['restoring'], to: 'restore_failed' },
} as const satisfies Record<string, { from: readonly CutoffState[]; to: CutoffState }>

type PaymentState = (typeof METER_PAYMENT_STATES)[number]

/** What can happen to a payment of an end user. */
export const METER_PAYMENT_TRANSITIONS = {
  /** The money is there, even where nobody waited for it any longer. */
  succeed: { from: ['pending', 'failed', 'closed'], to: 'succeeded' },
  fail: { from: ['pending'], to: 'failed' },
  /** Not paid in time. */
  close: { from: ['pending'], to: 'closed' },
} as const satisfies Record<string, { from: readonly PaymentState[]; to: PaymentState }>
