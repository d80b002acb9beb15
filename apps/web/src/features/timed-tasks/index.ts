import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/manage/user/center/timedTasks': async () => ({
      Component: (await import('./timed-tasks-page.tsx')).TimedTasksPage,
    }),
  },
}
