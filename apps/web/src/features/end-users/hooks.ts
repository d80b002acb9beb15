import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { call } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchEndUsers: FetchPage<EndUserView> = ({ filters: _, ...input }, signal) =>
  call('endUsers.list', { query: input, signal })
