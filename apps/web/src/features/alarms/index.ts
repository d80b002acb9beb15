import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    // One address: tabs by `?tab=`, the drawer of one alarm by `?alarm=`.
    '/manage/user/center/alarm': async () => ({ Component: (await import('./alarms-page.tsx')).AlarmsPage }),
  },
}
