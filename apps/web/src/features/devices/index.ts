import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

/** Texts beyond those that every console page has. */
const TEXTS = ['group-tree']
const CENTER_TEXTS = [...TEXTS, 'command-kit']

export const featurePages: FeaturePages = {
  pages: {
    '/stat/DeviceMap': withTexts([...TEXTS, 'map', 'device-map', 'bulk'], async () => ({
      Component: (await import('./device-map/device-map-page.tsx')).DeviceMapPage,
    })),
    '/manage/device': withTexts([...TEXTS, 'bulk'], async () => ({
      Component: (await import('./pages/device-list-page.tsx')).DeviceListPage,
    })),
    '/manage/device/DeviceSet/DeviceCenter': withTexts(CENTER_TEXTS, async () => ({
      Component: (await import('./pages/device-center-page.tsx')).DeviceCenterPage,
    })),
    '/manage/device/DeviceSet/DeviceSetLink': withTexts([...TEXTS, 'device-identity', 'device-access'], async () => ({
      Component: (await import('./pages/device-link-page.tsx')).DeviceLinkPage,
    })),
  },
  frames: {
    '/manage/device/DeviceSet': withTexts(TEXTS, async () => ({
      Component: (await import('./pages/device-set-frame.tsx')).DeviceSetFrame,
    })),
  },
}
