import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/manage/company-transfers': async () => ({ Component: (await import('./transfers-page.tsx')).TransfersPage }),
  },
}
