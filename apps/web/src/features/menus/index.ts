import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/system/menuList': withTexts([], async () => ({
      Component: (await import('./pages/menu-list-page.tsx')).MenuListPage,
    })),
  },
}
