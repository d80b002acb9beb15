import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/stat/DeviceMap': async () => ({ Component: (await import('./device-map-page.tsx')).DeviceMapPage }),
  },
}
