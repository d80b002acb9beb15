import type { ReportView } from '@thingwright/contracts/reports.contract'
import { call } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchReports: FetchPage<ReportView> = ({ filters: _, ...input }, signal) =>
  call('reports.list', { query: input, signal })
