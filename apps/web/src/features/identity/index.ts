import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/index': () => import('./pages/index-page.tsx').then(m => ({ Component: m.IndexPage })),
  },
}
