import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/flowCard/CmccFlowCard': async () => ({ Component: (await import('./sim-cards-page.tsx')).CmccPage }),
    '/flowCard/CtccFlowCard': async () => ({ Component: (await import('./sim-cards-page.tsx')).CtccPage }),
  },
}
