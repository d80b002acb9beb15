import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/operator/companies': async () => ({
      Component: (await import('./pages/companies-page.tsx')).CompaniesPage,
    }),
    '/operator/approvals': async () => ({
      Component: (await import('./pages/approvals-page.tsx')).ApprovalsPage,
    }),
    '/operator/health': async () => ({ Component: (await import('./pages/health-page.tsx')).HealthPage }),
    '/operator/jobs': async () => ({ Component: (await import('./pages/jobs-page.tsx')).JobsPage }),
    '/operator/announcements': async () => ({
      Component: (await import('./pages/announcements-page.tsx')).AnnouncementsPage,
    }),
  },
}
