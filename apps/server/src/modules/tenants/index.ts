export { checkBranding, imageType, NO_BRANDING } from './branding.ts'
export { type PlatformContact, toCompanyView } from './company.service.ts'
export type { CompanyFileStore } from './company-files.ts'
export { changeSection, readSettings } from './company-settings.ts'
export { setCompanySettings, setCompanyState } from './company-state.repo.ts'
export { takesData } from './company-states.ts'
export { operatorNotice } from './company-words.ts'
export { type Consent, consentsOf, recordConsent } from './consents.service.ts'
export { isCreditCode } from './credit-code.ts'
export { daysLeft } from './days-left.ts'
export {
  type PlatformSettings,
  platformSettingsIn,
  storePlatformSettings,
} from './platform.repo.ts'
export type { QuotaGuard, QuotasService } from './quotas.service.ts'
export { createSupportService, type SupportAccess, type SupportService } from './support.service.ts'
export { createTenantsModule, type TenantsModule } from './tenants.module.ts'
export {
  accountState,
  createTenantsService,
  type TenantStatus,
  type TenantsService,
  type TenantView,
} from './tenants.service.ts'
export { tenantsTools } from './tenants.tools.ts'
export type { LicenceCase, VerificationService } from './verification.service.ts'
