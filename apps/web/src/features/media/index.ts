import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/admin/material': withTexts(['group-tree'], async () => ({
      Component: (await import('./pages/media-page.tsx')).MediaPage,
    })),
  },
}
