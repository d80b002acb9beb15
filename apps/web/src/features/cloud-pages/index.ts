import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/manage/user/center/cloudConfig': async () => ({
      Component: (await import('./cloud-pages-page.tsx')).CloudPagesPage,
    }),
    '/page/:appSuffix': async () => ({ Component: (await import('./leave-console.tsx')).LeaveConsole }),
  },
}
