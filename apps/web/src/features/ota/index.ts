import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/develop/FirmwareUpdate': withTexts(['group-tree'], async () => ({
      Component: (await import('./pages/firmware-page.tsx')).FirmwarePage,
    })),
  },
}
