import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/alonePage/ApiInterfaceOpen': async () => ({ Component: (await import('./api/api-page.tsx')).ApiPage }),
    '/alonePage/FunctionsAndCharges': async () => ({ Component: (await import('./functions-page.tsx')).FunctionsPage }),
    '/alonePage/AppDown': async () => ({ Component: (await import('./downloads-page.tsx')).DownloadsPage }),
    '/alonePage/TermsService': async () => ({ Component: (await import('./terms-page.tsx')).TermsPage }),
  },
}
