import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/invoice/InvoiceRequest': async () => ({ Component: (await import('./request-page.tsx')).RequestPage }),
    '/invoice/InvoiceList': async () => ({ Component: (await import('./invoices-page.tsx')).InvoicesPage }),
    '/invoice/InvoicingQualification': async () => ({
      Component: (await import('./qualifications-page.tsx')).QualificationsPage,
    }),
  },
}
