import type { CompanyView } from '@thingwright/contracts/company.contract'
import { keepBranding } from '../../lib/branding.ts'
import { every } from '../../lib/every.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'

export function useCompany(enabled: boolean) {
  return useRead('account.get', {}, { enabled })
}

/** Takes over the company as the server returned it, in the header too. */
export function useCompanyChanged(): (company: CompanyView) => void {
  const cache = useCache()
  return company => {
    cache.put('account.get', {}, company)
    keepBranding(company.appId, company.branding)
  }
}

export function useVerification() {
  return useRead('account.verification')
}

export function useUsage() {
  return useRead('account.usage', {}, { refetchInterval: every(60_000) })
}

export function useSupportGrants() {
  return useRead('account.supportGrants')
}
