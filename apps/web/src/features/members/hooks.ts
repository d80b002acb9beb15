import type { MemberView } from '@thingwright/contracts/members.contract'
import type { RoleView } from '@thingwright/contracts/roles.contract'
import { useTranslation } from 'react-i18next'
import { call, type Query } from '../../lib/api-client.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchMembers: FetchPage<MemberView> = ({ filters, ...input }, signal) =>
  call('members.list', { query: { ...input, ...filters } as Query<'members.list'>, signal })

/** Roles that can be chosen; empty for those who may not read roles. */
export function useRoles(): { roles: RoleView[]; failed: boolean } {
  const allowed = useMay('roles.list')
  const query = useRead('roles.list', { query: { limit: 100 } }, { enabled: allowed })
  return { roles: query.data?.items ?? [], failed: !allowed || query.isError }
}

/** Other active members, for handing something over. */
export function useReceivers(search: string, without: string) {
  return useRead(
    'members.list',
    { query: { state: 'active', limit: 50, sort: 'name', ...(search ? { q: search } : {}) } },
    { select: page => page.items.filter(member => member.id !== without), keep: true },
  )
}

/** The name of a role in the shown language. */
export function useRoleName(): (role: { name: string; ename: string }) => string {
  const { i18n } = useTranslation()
  return role => (i18n.language === 'en' && role.ename) || role.name
}

/** What a member is called: his name, else his user name, else where he was invited. */
export function nameOf(member: Pick<MemberView, 'displayName' | 'username' | 'email' | 'phone'>): string {
  return member.displayName || member.username || member.email || member.phone || ''
}
