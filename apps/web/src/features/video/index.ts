import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/manage/ezviz': async () => ({ Component: (await import('./video-page.tsx')).VideoPage }),
  },
}
