import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/admin/action': async () => ({ Component: (await import('./pages/action-page.tsx')).ActionPage }),
    '/admin/userlog': async () => ({ Component: (await import('./pages/user-log-page.tsx')).UserLogPage }),
  },
}
