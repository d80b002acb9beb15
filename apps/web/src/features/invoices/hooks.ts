import type { InvoiceView } from '@thingwright/contracts/invoices.contract'
import { call } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchInvoices: FetchPage<InvoiceView> = ({ filters: _, ...input }, signal) =>
  call('invoices.list', { query: input, signal })
