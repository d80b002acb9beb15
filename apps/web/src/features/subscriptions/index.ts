import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    // One address: the list, `?id=` one subscription, `?id=new` and `?id=…&edit=1` the editor.
    '/develop/DataSubscription': withTexts(['device-access'], async () => ({
      Component: (await import('./subscriptions-page.tsx')).SubscriptionsPage,
    })),
  },
}
