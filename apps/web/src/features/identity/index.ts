import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/w/:suffix': () =>
      import('./pages/portal-page.tsx').then(m => ({ Component: m.PortalPage, loader: m.loadPortal })),
    '/index': () => import('./pages/index-page.tsx').then(m => ({ Component: m.IndexPage })),
  },
}
