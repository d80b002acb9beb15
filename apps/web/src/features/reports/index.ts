import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/stat/reports': async () => ({ Component: (await import('./reports-page.tsx')).ReportsPage }),
  },
}
