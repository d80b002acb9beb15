import type {
  AnnouncementView,
  CompanyDetail,
  CompanyRow,
  OperatorTask,
} from '@thingwright/contracts/operator.contract'
import { useCallback } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchCompanies: FetchPage<CompanyRow> = ({ filters, ...input }, signal) =>
  call('operator.companies', { query: { ...input, ...filters } as Query<'operator.companies'>, signal })

export const fetchJobs: FetchPage<OperatorTask> = ({ filters, limit, cursor }, signal) =>
  call('operator.jobs', {
    query: { limit, ...(cursor ? { cursor } : {}), ...filters } as Query<'operator.jobs'>,
    signal,
  })

export const fetchAnnouncements: FetchPage<AnnouncementView> = ({ filters, limit, cursor }, signal) =>
  call('operator.announcements', {
    query: { limit, ...(cursor ? { cursor } : {}), ...filters } as Query<'operator.announcements'>,
    signal,
  })

export function useCompanyDetail(id: string) {
  return useRead('operator.company', { params: { id } })
}

/** Takes over a company as the server returned it. */
export function useCompanyChanged(): (company: CompanyDetail) => void {
  const cache = useCache()
  return useCallback(company => cache.put('operator.company', { params: { id: company.company.id } }, company), [cache])
}
