import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/ChirpStack/DeviceProfiles': async () => ({ Component: (await import('./profiles-page.tsx')).ProfilesPage }),
    '/ChirpStack/DeviceProfiles/add': async () => ({
      Component: (await import('./profile-form-page.tsx')).ProfileAddPage,
    }),
    '/ChirpStack/DeviceProfiles/edit': async () => ({
      Component: (await import('./profile-form-page.tsx')).ProfileEditPage,
    }),
    '/ChirpStack/Gateways': async () => ({ Component: (await import('./gateways-page.tsx')).GatewaysPage }),
    '/ChirpStack/Gateways/add': async () => ({ Component: (await import('./gateway-form-page.tsx')).GatewayAddPage }),
    '/ChirpStack/Gateways/edit': async () => ({
      Component: (await import('./gateway-form-page.tsx')).GatewayEditPage,
    }),
    '/ChirpStack/Gateways/regionInfo': async () => ({ Component: (await import('./region-page.tsx')).RegionPage }),
  },
}
