import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: { '/manage/tel': async () => ({ Component: (await import('./keys-page.tsx')).KeysPage }) },
}
