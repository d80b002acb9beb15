import { useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  AnnouncementView,
  CompanyDetail,
  CompanyRow,
  OperatorTask,
} from '@thingwright/contracts/operator.contract'
import { useCallback } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { listKey } from '../../ui/list-page/use-list-query.ts'

export const COMPANIES = ['operator', 'companies'] as const
export const JOBS = ['operator', 'jobs'] as const
export const ANNOUNCEMENTS = ['operator', 'announcements'] as const

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
  return useQuery({
    queryKey: ['operator', 'company', id],
    queryFn: ({ signal }) => call('operator.company', { params: { id }, signal }),
  })
}

/** Takes over a company as the server returned it, and lets the list be read anew. */
export function useCompanyChanged(): (company?: CompanyDetail) => void {
  const client = useQueryClient()
  return useCallback(
    company => {
      if (company) client.setQueryData(['operator', 'company', company.company.id], company)
      void client.invalidateQueries({ queryKey: listKey(COMPANIES) })
    },
    [client],
  )
}

/** Reads a list of the desk anew. */
export function useReread(): (list: readonly unknown[]) => void {
  const client = useQueryClient()
  return useCallback(list => void client.invalidateQueries({ queryKey: listKey(list) }), [client])
}
