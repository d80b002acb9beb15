import type { ReportRunView, ReportView } from '@thingwright/contracts/reports.contract'
import { call, type Query } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchReports: FetchPage<ReportView> = ({ filters, ...input }, signal) =>
  call('reports.list', { query: { ...input, ...filters } as Query<'reports.list'>, signal })

export const fetchRuns: FetchPage<ReportRunView> = ({ filters, ...input }, signal) =>
  call('reports.runs', {
    query: {
      limit: input.limit,
      ...(input.cursor ? { cursor: input.cursor } : {}),
      ...filters,
    } as Query<'reports.runs'>,
    signal,
  })

/** The tabs of the page, as its lists show them. */
export interface Tabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}
