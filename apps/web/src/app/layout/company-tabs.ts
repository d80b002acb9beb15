import { type CompanyTab, registerCompanyTabs } from '../../lib/company-tabs.ts'

/** What areas put into the company account: `features/<area>/company-tab.ts` exports `companyTab`, downloaded when opened. */
const found = import.meta.glob('../../features/*/company-tab.ts', { eager: true, import: 'companyTab' }) as Record<
  string,
  CompanyTab
>
registerCompanyTabs(Object.values(found))
