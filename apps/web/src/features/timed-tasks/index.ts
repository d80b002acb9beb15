import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

export const featurePages: FeaturePages = {
  pages: {
    // One address: the lists, `?task=` the editor of one task, `?task=new` of another.
    '/manage/user/center/timedTasks': withTexts(['group-tree'], async () => ({
      Component: (await import('./timed-tasks-page.tsx')).TimedTasksPage,
    })),
  },
}
