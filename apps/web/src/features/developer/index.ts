import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/develop/LinkInterface': withTexts(['rights', 'device-access'], async () => ({
      Component: (await import('./link-interface-page.tsx')).LinkInterfacePage,
    })),
  },
}
