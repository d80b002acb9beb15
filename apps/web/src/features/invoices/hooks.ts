import type { InvoiceRow, InvoiceSource, QualificationView } from '@thingwright/contracts/invoices.contract'
import type { InvoiceStage, QualificationState } from '@thingwright/contracts/money.words'
import { call, type Query } from '../../lib/api-client.ts'
import type { Resource } from '../../lib/server-state/keys.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

/** What a change of an invoice makes out of date. */
export const INVOICES: readonly Resource[] = ['invoices', 'invoiceTitles', 'invoiceQualifications', 'purchaseOrders']

export const REQUEST = '/invoice/InvoiceRequest'
export const LIST = '/invoice/InvoiceList'
export const QUALIFICATIONS = '/invoice/InvoicingQualification'

export const fetchInvoices: FetchPage<InvoiceRow> = ({ filters, ...input }, signal) =>
  call('invoices.list', { query: { ...input, ...filters } as Query<'invoices.list'>, signal })

export const fetchSources: FetchPage<InvoiceSource> = ({ filters: _, ...input }, signal) =>
  call('invoices.sources', { query: input, signal })

/** They come at once: there are few. */
export const fetchQualifications: FetchPage<QualificationView> = async ({ q }, signal) => {
  const { items } = await call('invoiceQualifications.list', { signal })
  const found = q ? items.filter(one => `${one.title} ${one.taxNo}`.toLowerCase().includes(q.toLowerCase())) : items
  return { items: found, nextCursor: null, total: found.length }
}

export const STAGE_KIND: Record<InvoiceStage, StatusKind> = {
  submitted: 'warning',
  issuing: 'processing',
  issued: 'success',
  delivered: 'success',
  rejected: 'error',
  withdrawn: 'neutral',
  failed: 'error',
  voided: 'neutral',
}

export const QUALIFICATION_KIND: Record<QualificationState, StatusKind> = {
  in_review: 'warning',
  approved: 'success',
  rejected: 'error',
  expired: 'neutral',
}
