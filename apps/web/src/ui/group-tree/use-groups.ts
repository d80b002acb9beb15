import { useQuery } from '@tanstack/react-query'
import type { GroupKind, GroupView } from '@thingwright/contracts/groups.contract'
import { call } from '../../lib/api-client.ts'
import { usePermission } from '../../lib/permissions.ts'
import { session } from '../../lib/storage.ts'

/** Where each kind's tree is kept for the session. */
const ENTRY = { device: 'groupInfo1', product: 'groupInfo2', user: 'groupInfo3' } as const

export const groupsKey = (kind: GroupKind) => ['groups', kind] as const

/** The group tree of a kind, flat; what the session remembers stands there until the server has answered. */
export function useGroups(kind: GroupKind) {
  const allowed = usePermission('group:read')
  return useQuery({
    queryKey: groupsKey(kind),
    enabled: allowed,
    queryFn: async ({ signal }): Promise<GroupView[]> => {
      const { items } = await call('groups.list', { query: { kind }, signal })
      session.set(ENTRY[kind], items)
      return items
    },
    placeholderData: () => session.get(ENTRY[kind]) ?? undefined,
  })
}
