import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/manage/user': async () => ({ Component: (await import('./end-users-page.tsx')).EndUsersPage }),
    '/manage/user/center/info': async () => ({
      Component: (await import('./end-users-detail-page.tsx')).EndUserDetailPage,
    }),
  },
}
