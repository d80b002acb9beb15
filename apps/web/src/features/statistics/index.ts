import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/stat/EnterpriseOverview': async () => ({ Component: (await import('./overview-page.tsx')).OverviewPage }),
  },
}
