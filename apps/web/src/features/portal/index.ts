import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/w/:suffix/*': withTexts(['ui'], async () => {
      const page = await import('./portal.tsx')
      return { Component: page.Portal, loader: page.loadPortal }
    }),
  },
}
