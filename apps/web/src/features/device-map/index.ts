import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/stat/DeviceMap': withTexts(['map', 'group-tree'], async () => ({
      Component: (await import('./device-map-page.tsx')).DeviceMapPage,
    })),
  },
}
