import type { QueryOf } from '@thingwright/contracts'
import type { RoleView, rolesContract } from '@thingwright/contracts/roles.contract'
import { useCallback } from 'react'
import { call } from '../../lib/api-client.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchRoles: FetchPage<RoleView> = ({ filters, ...input }, signal) =>
  call('roles.list', { query: { ...input, ...filters } as QueryOf<(typeof rolesContract)['list']>, signal })

export function useRole(id: string) {
  return useRead('roles.get', { params: { id } })
}

/** The menu and the rights a role can be given. */
export function useChoices() {
  return useRead('roles.menus')
}

/** All roles by name: a company has few. */
export function useAllRoles() {
  return useRead('roles.list', { query: { limit: 100 } })
}

/** Takes over a role as the server returned it. */
export function useRoleChanged(): (role: RoleView) => void {
  const cache = useCache()
  return useCallback(role => cache.put('roles.get', { params: { id: role.id } }, role), [cache])
}
