import type { GroupKind } from '@thingwright/contracts/groups.contract'
import { useMay } from '../../lib/permissions.ts'
import { only } from '../../lib/server-state/keys.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { session } from '../../lib/storage.ts'

/** Where each kind's tree is kept for the session. */
const ENTRY = { device: 'groupInfo1', product: 'groupInfo2', user: 'groupInfo3' } as const

/** The tree of one kind, to touch it. */
export const groupsOf = (kind: GroupKind) => only('groups.list', { query: { kind } })

/** The group tree of a kind, flat; what the session remembers stands there until the server has answered. */
export function useGroups(kind: GroupKind) {
  const allowed = useMay('groups.list')
  return useRead(
    'groups.list',
    { query: { kind } },
    {
      enabled: allowed,
      through: ask => async context => {
        const reply = await ask(context)
        session.set(ENTRY[kind], reply.items)
        return reply
      },
      placeholderData: () => {
        const items = session.get(ENTRY[kind])
        return items ? { items } : undefined
      },
      select: ({ items }) => items,
    },
  )
}
