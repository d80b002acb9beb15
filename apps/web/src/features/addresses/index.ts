import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/admin/address': async () => ({ Component: (await import('./address-page.tsx')).AddressPage }),
  },
}
