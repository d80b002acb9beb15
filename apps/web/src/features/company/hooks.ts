import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CompanyView } from '@thingwright/contracts/company.contract'
import { call } from '../../lib/api-client.ts'
import { keepBranding } from '../../lib/branding.ts'
import { every } from '../../lib/every.ts'

const COMPANY = ['company'] as const

export function useCompany(enabled: boolean) {
  return useQuery({ queryKey: COMPANY, enabled, queryFn: ({ signal }) => call('account.get', { signal }) })
}

/** Takes over the company as the server returned it, in the header too. */
export function useCompanyChanged(): (company: CompanyView) => void {
  const client = useQueryClient()
  return company => {
    client.setQueryData(COMPANY, company)
    keepBranding(company.appId, company.branding)
  }
}

export function useVerification() {
  return useQuery({
    queryKey: ['company', 'verification'],
    queryFn: ({ signal }) => call('account.verification', { signal }),
  })
}

export function useUsage() {
  return useQuery({
    queryKey: ['company', 'usage'],
    queryFn: ({ signal }) => call('account.usage', { signal }),
    refetchInterval: every(60_000),
  })
}

export function useSupportGrants() {
  return useQuery({
    queryKey: ['company', 'support'],
    queryFn: ({ signal }) => call('account.supportGrants', { signal }),
  })
}

/** Reads a part of the company's data anew. */
export function useReread(): (part: 'verification' | 'usage' | 'support') => void {
  const client = useQueryClient()
  return part => void client.invalidateQueries({ queryKey: ['company', part] })
}
