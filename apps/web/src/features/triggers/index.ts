import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    // One address: the list, `?id=` one trigger, `?id=new` and `?id=…&edit=1` the editor.
    '/manage/user/center/trigger': withTexts(['group-tree'], async () => ({
      Component: (await import('./triggers-page.tsx')).TriggersPage,
    })),
  },
}
