import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/cost/tariffs': async () => ({ Component: (await import('./tariffs-page.tsx')).TariffsPage }),
  },
}
