import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/manage/user': withTexts(['group-tree'], async () => ({
      Component: (await import('./end-users-page.tsx')).EndUsersPage,
    })),
    '/manage/user/center/info': withTexts(['group-tree'], async () => ({
      Component: (await import('./center/center-page.tsx')).CenterPage,
    })),
  },
}
