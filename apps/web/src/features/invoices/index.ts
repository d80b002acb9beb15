import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/invoice/InvoiceList': async () => ({ Component: (await import('./invoices-page.tsx')).InvoicesPage }),
  },
}
