import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/admin/account': async () => ({ Component: (await import('./pages/account-page.tsx')).AccountPage }),
  },
}
