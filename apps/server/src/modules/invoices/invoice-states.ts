import type { InvoiceStage } from '@thingwright/contracts/money.words'

/** What can happen to an invoice, and which states it leads from and to. Documents draw their diagram from this table. */
export const INVOICE_TRANSITIONS = {
  /** By the company, while nobody works on it. */
  withdraw: { from: ['submitted'], to: 'withdrawn' },
  accept: { from: ['submitted', 'failed'], to: 'issuing' },
  reject: { from: ['submitted', 'issuing', 'failed'], to: 'rejected' },
  issue: { from: ['issuing'], to: 'issued' },
  fail: { from: ['issuing'], to: 'failed' },
  /** On paper, with its parcel number. */
  ship: { from: ['issued'], to: 'delivered' },
  /** An electronic one goes out by mail, as often as is wished. */
  send: { from: ['issued', 'delivered'], to: 'delivered' },
  /** On paper, within the month of its issue. */
  void: { from: ['issued', 'delivered'], to: 'voided' },
} as const satisfies Record<string, { from: readonly InvoiceStage[]; to: InvoiceStage }>

/** Whether an event can happen in a state. */
export const canHappen = (event: keyof typeof INVOICE_TRANSITIONS, state: InvoiceStage): boolean =>
  (INVOICE_TRANSITIONS[event].from as readonly InvoiceStage[]).includes(state)
