import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/admin/security': async () => ({ Component: (await import('./pages/security-page.tsx')).SecurityPage }),
  },
}
