import type { AuditView, UserLogView } from '@thingwright/contracts/audit.contract'
import { call, type Query } from '../../lib/api-client.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { withPeriod } from './period.ts'

export const fetchAudit: FetchPage<AuditView> = ({ filters, ...input }, signal) =>
  call('audit.list', { query: { ...input, ...withPeriod(filters) } as Query<'audit.list'>, signal })

// The user log has one order.
export const fetchUserLog: FetchPage<UserLogView> = ({ filters, sort: _, ...input }, signal) =>
  call('userLog.list', { query: { ...input, ...withPeriod(filters) } as Query<'userLog.list'>, signal })

export const fetchOwnLog: FetchPage<UserLogView> = ({ filters, sort: _, ...input }, signal) =>
  call('userLog.own', { query: { ...input, ...withPeriod(filters) } as Query<'userLog.own'>, signal })

/** What the operation log can be narrowed to. */
export function useAuditFilters(enabled: boolean) {
  return useRead('audit.filters', {}, { enabled, staleTime: 60_000 })
}
