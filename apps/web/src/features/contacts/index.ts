import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/admin/alarme': async () => ({ Component: (await import('./alarm-messages-page.tsx')).AlarmMessagesPage }),
    '/alonePage/Acknowledge': async () => ({ Component: (await import('./acknowledge-page.tsx')).AcknowledgePage }),
  },
}
