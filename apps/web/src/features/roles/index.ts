import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/manage/role': withTexts(['rights'], async () => ({
      Component: (await import('./pages/role-list-page.tsx')).RoleListPage,
    })),
  },
}
