import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { call, type Query } from '../../lib/api-client.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchEndUsers: FetchPage<EndUserView> = ({ filters, ...input }, signal) =>
  call('endUsers.list', { query: { ...input, ...filters } as Query<'endUsers.list'>, signal })

/** Packages that can be chosen; empty for those who may not read them. */
export function usePackages() {
  const allowed = useMay('userPackages.list')
  const query = useRead('userPackages.list', undefined, { enabled: allowed })
  return { packages: query.data?.items ?? [], query }
}
