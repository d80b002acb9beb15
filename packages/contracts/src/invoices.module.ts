import type { ModuleFacts } from './module.ts'

/** Invoices over what a company paid. */
export const invoicesModule = {
  pages: {
    '/invoice/InvoiceRequest': ['finance'],
    '/invoice/InvoiceList': ['finance'],
    '/invoice/InvoicingQualification': ['finance'],
  },
  found: ['invoice'],
  errors: {
    'invoice.not_found': 404,
    'invoice.order': 422,
    'invoice.amount': 409,
    'invoice.too_little': 422,
    'invoice.beyond': 409,
    'invoice.title': 422,
    'invoice.qualification': 409,
    'invoice.qualification_unknown': 404,
    'invoice.address': 422,
    'invoice.state': 409,
    'invoice.tax_number': 422,
    'invoice.taken': 409,
    'invoice.too_many_titles': 422,
    'invoice.file_invalid': 422,
    'invoice.file_not_found': 404,
    'invoice.too_many_files': 422,
    'invoice.mail_failed': 502,
    'invoice.number': 422,
    'invoice.number_taken': 409,
    'invoice.no_file': 409,
    'invoice.logistics': 422,
    'invoice.void_late': 409,
    'order.invoiced': 409,
  },
} as const satisfies ModuleFacts
