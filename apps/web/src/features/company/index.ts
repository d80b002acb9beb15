import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/admin/account': withTexts(['rights'], async () => ({
      Component: (await import('./pages/account-page.tsx')).AccountPage,
    })),
  },
}
