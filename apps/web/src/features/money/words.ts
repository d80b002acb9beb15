import type { CatalogueItem } from '@thingwright/contracts/catalogue.contract'
import type { InvoiceStage, OrderState, PaymentState } from '@thingwright/contracts/money.words'
import type { RECHARGE_STATES } from '@thingwright/contracts/purchase-orders.contract'
import { locale } from '../../lib/i18n.ts'
import { plainNumber } from '../../lib/typed-number.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

export const ORDER_KIND: Record<OrderState, StatusKind> = {
  pending: 'warning',
  paid: 'processing',
  processing: 'processing',
  shipped: 'processing',
  completed: 'success',
  faulted: 'error',
  cancelled: 'neutral',
  closed: 'neutral',
  refund_requested: 'warning',
  refunding: 'processing',
  refunded: 'neutral',
  partly_refunded: 'neutral',
}

export const PAYMENT_KIND: Record<PaymentState, StatusKind> = {
  created: 'processing',
  pending: 'processing',
  in_review: 'warning',
  succeeded: 'success',
  failed: 'error',
  refused: 'error',
  closed: 'neutral',
}

export const RECHARGE_KIND: Record<(typeof RECHARGE_STATES)[number], StatusKind> = {
  pending: 'warning',
  paying: 'processing',
  in_review: 'warning',
  succeeded: 'success',
  failed: 'error',
  refused: 'error',
  closed: 'neutral',
  refunded: 'neutral',
}

export const INVOICE_KIND: Record<InvoiceStage, StatusKind> = {
  submitted: 'warning',
  issuing: 'processing',
  issued: 'success',
  delivered: 'success',
  rejected: 'error',
  withdrawn: 'neutral',
  failed: 'error',
  voided: 'neutral',
}

/** What is sold, in the language of the page. */
export const nameOf = (item: { name: string; ename: string } | undefined): string =>
  item ? (locale() === 'en' ? item.ename : item.name) : ''

export const textOf = (item: Pick<CatalogueItem, 'text' | 'etext'>): string =>
  locale() === 'en' ? item.etext : item.text

/** Yuan as somebody types them, `12.5`, in fen; null when that is no amount. */
export function fenOf(text: string): number | null {
  const found = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(plainNumber(text))
  if (!found) return null
  return Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0') || '0')
}
